import { readFileSync } from 'node:fs';
import { failure } from '../testing/failure';
import { reproducerForEachTest } from '../testing/workspace';
import { writeTunable } from '../tune/testing/fake-candidates';
import { JudgeClient } from './client';
import { candidateOf, Judges } from './service/testing/judges';
import { ownToken } from './service/tokens';

const made = reproducerForEachTest();
let judges: Judges;
beforeEach(() => {
  writeTunable(made.workspace);
  judges = new Judges(made.workspace, made.reproducer);
});
afterEach(() => judges.end());

const client = (more: object = {}): JudgeClient =>
  new JudgeClient({ address: judges.socket, patienceSeconds: 20, ...more });

describe('the client of a judge', () => {
  it('submits, waits for verdicts as they come, and reads the state', async () => {
    await judges.serve(await judges.judge());
    const one = await client().submit(candidateOf(8, { label: 'eight' }));
    expect((await client().verdict(one.id)).judgement).toMatchObject({ verdict: 'pass', label: 'eight' });
    const sent = await client().submitAll([
      candidateOf(99, { id: 'slow' }),
      candidateOf(7),
      candidateOf(2, { id: '-' }),
    ]);
    expect(sent).toMatchObject([
      { id: 'slow' },
      { phase: 'queued' },
      { id: '-', error: { code: 'CANDIDATE_REFUSED' } },
    ]);
    judges.release();
    const verdicts: string[] = [];
    for await (const { judgement } of client().verdicts([
      one.id,
      ...sent.flatMap((each) => ('error' in each ? [] : [each.id])),
    ]))
      verdicts.push(judgement.verdict);
    expect(verdicts).toEqual(['pass', 'pass', 'fail']);
    expect(await client().kernels()).toMatchObject([{ name: 'saxpy' }]);
    expect(await client().status()).toMatchObject({ queued: 0, sandboxed: false });
    expect((await client().candidate(one.id)).phase).toBe('done');
  });

  it('fails with the error of the judge', async () => {
    await judges.serve(await judges.judge());
    expect(await failure(client().submit({ files: { 'kernel.json': '' } }))).toMatchObject({
      code: 'CANDIDATE_REFUSED',
    });
    expect(await failure(client().verdict('none'))).toMatchObject({ code: 'CANDIDATE_UNKNOWN' });
  });

  it('sends the token', async () => {
    const { tokens, file } = ownToken(made.workspace.root);
    await judges.serve(await judges.judge(), tokens);
    expect(await failure(client({ token: 'x' }).status())).toMatchObject({ code: 'TOKEN_REFUSED' });
    expect(await client({ token: readFileSync(file, 'utf8').trim() }).status()).toMatchObject({ working: 0 });
  });

  it('waits through a restart, after which nothing was judged twice', async () => {
    const first = await judges.judge();
    const server = await judges.serve(first);
    await client().submitAll([candidateOf(99, { id: 'slow' }), candidateOf(2, { id: 'two' })]);
    const waiting = client().verdict('slow');
    const streamed = (async () => {
      const ids: string[] = [];
      for await (const { judgement } of client().verdicts(['two', 'slow'])) ids.push(judgement.id);
      return ids.sort();
    })();
    while ((await client().candidate('slow')).phase !== 'compiling');
    await server.close();
    await first.close();
    const late = client().submit(candidateOf(8, { id: 'late' }));
    const second = await judges.judge();
    second.resume();
    judges.release();
    await judges.serve(second);
    expect((await waiting).judgement.verdict).toBe('pass');
    expect(await streamed).toEqual(['slow', 'two']);
    expect((await client().verdict((await late).id)).judgement.verdict).toBe('pass');
  });

  it('says that no judge answers', async () => {
    expect(await failure(client({ patienceSeconds: 0 }).status())).toMatchObject({
      code: 'JUDGE_UNREACHABLE',
      what: expect.stringContaining('judge.sock') as string,
    });
  });

  it('ends at a signal', async () => {
    await judges.serve(await judges.judge());
    await client().submit(candidateOf(99, { id: 'slow' }));
    const stop = new AbortController();
    const waiting = client().verdict('slow', stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
  });
});
