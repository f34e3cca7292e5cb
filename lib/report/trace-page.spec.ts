import { readFileSync } from 'node:fs';
import { TestWorkspace } from '../testing/workspace';
import { reportOptionsSchema } from './options';
import { report } from './report';
import { probeDeps, writeProbeTrace } from './testing/probes';

describe('the page of a trace of probes', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const made = async (array: string | null): Promise<string> => {
    const trace = writeProbeTrace(workspace, array);
    const { file } = await report(reportOptionsSchema.parse({ trace }), probeDeps(workspace));
    return readFileSync(file, 'utf8');
  };
  const files = (text: string): string => /<section aria-labelledby="files">[^]*?<\/section>/.exec(text)?.[0] ?? '';

  it('names arrays, calls the order of waves no time, and tells how the plot is read', async () => {
    const text = await made('bins');
    const [, screen = ''] = /class="on-screen">([^]*?)<\/div>/.exec(text) ?? [];
    expect(screen).toMatch(/>bins<\/text>/);
    expect(screen).toMatch(/>0x9000<\/text>/);
    expect(screen).toContain('>wave order in wave-instructions, not a time</text>');
    expect(/<figcaption>([^]*?)<\/figcaption>/.exec(text)?.[1]).toContain(
      'Each row is a page of the array on the left',
    );
    expect(text).toContain('1 launch, 1 map;');
    expect(text).toContain('bins: trace by dmat</h1>');
    expect(text).toContain('<h3>Dispatch 7, map DMAT</h3>');
  });

  it('colours the heat map by names, which a dark screen has other values for', async () => {
    const drawn = (await made('bins')).match(/class="[^"]*mark-rect role-mark[^]*?<\/g>/g)?.join('') ?? '';
    // Counts of 1 and 2.
    expect(new Set([...drawn.matchAll(/fill="([^"]+)"/g)].map(([, colour]) => colour))).toEqual(
      new Set(['var(--d1)', 'var(--d4)']),
    );
  });

  it('says which launch a file is of, and of files of Neutrino when they were written', async () => {
    const own = files(await made('bins'));
    expect([own, own]).toEqual([expect.stringContaining('>dispatch<'), expect.stringMatching(/data-sort="7">7</)]);
    expect(own).not.toContain('seconds');
    expect(files(await made(null))).toMatch(/>written so many seconds after the start<[^]*data-sort="1">1</);
  });
});
