import { PassThrough, Readable } from 'node:stream';
import { reproducerForEachTest } from '../../testing/workspace';
import { writeTunable } from '../../tune/testing/fake-candidates';
import { bounds } from '../candidate-json';
import { judgeLines } from './stdio';
import { candidateOf, Judges } from './testing/judges';

const made = reproducerForEachTest();
let judges: Judges;
beforeEach(() => {
  writeTunable(made.workspace);
  judges = new Judges(made.workspace, made.reproducer);
});
afterEach(() => judges.end());

interface Line {
  id?: string;
  error?: { code: string; message: string };
  judgement?: { id: string; verdict: string };
}

async function answers(chunks: (string | Buffer)[], signal = new AbortController().signal): Promise<Line[]> {
  const output = new PassThrough();
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await judgeLines(await judges.judge(), { input: Readable.from(chunks), output }, { signal });
  output.end();
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

const byId = (lines: Line[]): Record<string, string> =>
  Object.fromEntries(
    lines.map(({ id, judgement, error }) => [judgement?.id ?? id ?? '', judgement?.verdict ?? error?.code ?? '']),
  );

describe('a judge of lines', () => {
  it('refuses a line that is not UTF-8, and goes on', async () => {
    const [before, after] = JSON.stringify(candidateOf(2, { id: 'bytes', label: 'BYTE' })).split('BYTE');
    const broken = Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xc3, 0x28]), Buffer.from(`${after}\n`)]);
    const lines = await answers([broken, JSON.stringify(candidateOf(8, { id: 'next' }))]);
    expect(lines.filter(({ error }) => error)).toEqual([
      { error: expect.objectContaining({ code: 'CANDIDATE_REFUSED', message: 'the line is not UTF-8' }) as object },
    ]);
    expect(byId(lines)['next']).toBe('pass');
  });

  it('answers each line once, whatever it is, and ends with the input', async () => {
    const text = [
      candidateOf(2, { id: 'right' }),
      candidateOf(7, { id: 'wrong' }),
      candidateOf(13, { id: 'broken' }),
      candidateOf(7, { id: 'right' }),
      { id: 'none', files: [] },
      candidateOf(8, { id: 'äh' }),
    ].map((value) => JSON.stringify(value));
    const whole = Buffer.from(`${text.join('\r\n')}\n\n{\n`);
    // A character and lines are cut by the chunks, and the last line has no end.
    const chunks = Array.from({ length: Math.ceil(whole.length / 7) }, (_, index) =>
      whole.subarray(index * 7, index * 7 + 7),
    );
    const lines = await answers(chunks);
    expect(lines).toHaveLength(7);
    const { right, ...others } = byId(lines.filter(({ error }) => error?.code !== 'CANDIDATE_ID_TAKEN'));
    expect([right, others]).toEqual([
      'pass',
      {
        wrong: 'fail',
        broken: 'not-compiled',
        none: 'CANDIDATE_REFUSED',
        äh: 'CANDIDATE_REFUSED',
        '': 'CANDIDATE_REFUSED',
      },
    ]);
    expect(lines.filter(({ error }) => error?.code === 'CANDIDATE_ID_TAKEN')).toMatchObject([{ id: 'right' }]);
  });

  it('refuses a line without end, and judges the next one', async () => {
    const part = Buffer.alloc(1 << 20, 'x');
    const parts = Array.from({ length: bounds.jsonBytes / part.length + 1 }, () => part);
    const lines = await answers([...parts, '\n', JSON.stringify(candidateOf(2, { id: 'next' }))]);
    expect([lines[0]?.error?.message, byId(lines)['next']]).toEqual([
      expect.stringContaining('the line has more than'),
      'pass',
    ]);
  });

  it('ends at a signal, though a candidate has no verdict', async () => {
    const stop = new AbortController();
    const ended = answers([`${JSON.stringify(candidateOf(99))}\n`], stop.signal);
    while (judges.compiled.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect(await ended).toEqual([]);
  });
});
