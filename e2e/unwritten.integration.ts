import { join } from 'node:path';
import { addExtracted, builtOnce, recompiled } from './fixtures';
import { repository } from './harness';
import { Workspace } from './in-process';

const source = join(repository, 'e2e', 'fixtures', 'unwritten');

/**
 * Statements removed from the captured kernel, found by the comment after them, and their replacements. Each edit
 * relies on luck.
 */
const defects = [
  { what: 'a maximum over shared slots that nobody wrote', marked: 'the maximum' },
  { what: 'a minimum over shared slots that nobody wrote', marked: 'the minimum' },
  { what: 'shared slots times 0 that nobody wrote', marked: 'the dot product' },
  { what: 'a shared counter that begins at what is there', marked: 'the counter' },
  { what: 'dynamic shared memory that begins at what is there', marked: 'dynamic shared memory' },
  { what: 'a shared flag that is set by what is there', marked: 'the flag' },
  { what: 'a private array that begins at what is there', marked: 'private memory' },
  {
    what: 'a vector register that nobody wrote',
    marked: 'registers',
    instead: 'int start; __asm__ volatile("v_mov_b32 %0, v77" : "=v"(start)::"v77");',
  },
  {
    what: 'a scalar register that nobody wrote',
    marked: 'registers',
    instead: 'int start; __asm__ volatile("s_mov_b32 %0, s77" : "=s"(start)::"s77");',
  },
  {
    what: 'a vector register hoped to be no more than the true maximum',
    marked: 'registers',
    instead: 'int start; __asm__ volatile("v_mov_b32 %0, v77" : "=v"(start)::"v77"); start = max(start, 0);',
  },
  {
    what: 'a vector register hoped to be no less than the true minimum',
    marked: 'registers',
    instead: 'int start; __asm__ volatile("v_mov_b32 %0, v77" : "=v"(start)::"v77"); start = min(start, 0);',
  },
];

/** Other ways to compute the same sums, in which everything is still written before it is read. */
const correct = [
  {
    what: 'slots that are written by another thread',
    marked: 'the maximum',
    instead: 'for (int k = kSlots - 1 - t; k >= kThreads; k -= kThreads) high[k] = -INFINITY;',
  },
  {
    what: 'a private array that is written backwards',
    marked: 'private memory',
    instead: 'for (int k = 15; k >= 0; --k) bins[k] = 0;',
  },
  {
    what: 'a private array with more room than is used',
    marked: 'private memory',
    instead:
      'volatile int more[512]; more[500 + blockIdx.x] = 0; for (int k = 0; k < 16; ++k) bins[k] = more[500 + blockIdx.x];',
  },
];

let build = '';
beforeAll(async () => {
  build = await builtOnce(source);
});

const addApp = (workspace: Workspace, name: string, mode: readonly string[], kernel: string): string => {
  workspace.write(`apps/${name}/kernloop.json`, {
    name,
    device: 'softgpu',
    command: [join(build, 'unwritten'), ...mode],
    env: { HIP_PLATFORM: 'amd' },
    source,
    compileCommands: join(build, 'compile_commands.json'),
    kernels: [{ name: kernel, match: kernel }],
  });
  return `apps/${name}`;
};

describe.each(['gfx90a', 'gfx1030'])('reads of what nobody wrote, on %s', (target) => {
  let workspace: Workspace;
  const project = 'kernels/unwritten/use_everything';
  const variant = `${project}/kernel_variant.hip`;
  const on = ['--softgpu', target];
  let original = '';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const addUnwritten = (there: Workspace): string => addApp(there, 'unwritten', [], 'use_everything');
    await addExtracted(workspace, source, addUnwritten, ...on);
    addApp(workspace, 'nowhere', ['nowhere'], 'count_from_nowhere');
    original = workspace.read(variant);
  });
  afterAll(() => workspace.remove());

  const judge = async (marked: string, instead = '') => {
    workspace.write(variant, original);
    const line = new RegExp(`^.*// needed for ${marked}$`, 'm');
    workspace.edit(variant, (text) => text.replace(line, () => `  ${instead}`));
    await recompiled(workspace, project);
    return workspace.kernloop(['validate', '--reproducer', project, ...on]);
  };

  it.each(defects)('fails: $what', async ({ marked, instead }) => {
    const verdict = await judge(marked, instead);
    expect([verdict.code, verdict.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it.each(correct)('passes: $what', async ({ marked, instead }) => {
    const verdict = await judge(marked, instead);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('says so of captured code that depends on it', async () => {
    const outcome = await workspace.kernloop(['capture', '--app', 'apps/nowhere', ...on]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.text).toMatch(/SELFCHECK_FAILED/);
    expect(outcome.text).toMatch(/depends on LDS, private memory or registers that the kernel has not written/);
  });
});
