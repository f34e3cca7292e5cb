import fs from 'node:fs';
import { kernelJson, TestWorkspace } from '../../lib/testing/workspace';
import { reproducerVariables } from './reproducer-variables';
import { selectionVariables } from './selections';

/** Ten thousand reproducers cost ten thousand times one: held by what is read, not by a clock (bench/ten-thousand.mjs has times). */
describe('a workspace of many reproducers', () => {
  let workspace: TestWorkspace;
  afterEach(() => {
    jest.restoreAllMocks();
    workspace.dispose();
  });

  /** Calls of the file system for each of so many, and the bytes that were read. */
  function costOf(count: number): { calls: number; bytes: number } {
    const names = Array.from({ length: count }, (_, index) => `kernel_${String(index).padStart(3, '0')}`);
    workspace = new TestWorkspace({ kernels: names.map((name) => ({ name, match: name })) });
    for (const name of names) workspace.write(`kernels/app/${name}/kernel.json`, kernelJson({ name }));
    let [calls, bytes] = [0, 0];
    for (const method of ['existsSync', 'statSync', 'lstatSync', 'readdirSync', 'openSync'] as const) {
      const real = fs[method] as (...args: unknown[]) => unknown;
      jest.spyOn(fs, method).mockImplementation(((...args: unknown[]) => ((calls += 1), real(...args))) as never);
    }
    const read = fs.readFileSync;
    jest.spyOn(fs, 'readFileSync').mockImplementation(((path: string, encoding: 'utf8') => {
      const text = read(path, encoding);
      [calls, bytes] = [calls + 1, bytes + text.length];
      return text;
    }) as never);
    const files = names.map((name) => `kernels/app/${name}/kernel.json`);
    const variables = reproducerVariables(files, workspace.root, [], {}, 'toolchain');
    jest.restoreAllMocks();
    expect(Object.keys(variables)).toHaveLength(2 * count + 1);
    workspace.dispose();
    return { calls, bytes };
  }

  it('reads as much for the next of them as for the one before', () => {
    const [some, twice, fourTimes] = [4, 8, 16].map(costOf) as [{ calls: number; bytes: number }, never, never];
    for (const what of ['calls', 'bytes'] as const) {
      expect(some[what]).toBeGreaterThan(4);
      const [first, second] = [twice[what] - some[what], fourTimes[what] - twice[what]];
      expect([what, second]).toEqual([what, 2 * first]);
    }
  });

  it('fits ten thousand times into what Linux hands to a process, 2 MiB, and leaves room for what else is there', () => {
    const root = 'kernels/an-app-with-a-name/a_kernel_with_a_long_name_1f2e3d4c';
    workspace = new TestWorkspace();
    workspace.write(`${root}/kernel.json`, kernelJson());
    const { KERNLOOP_TRACKED_VARIANTS: _, ...own } = reproducerVariables(
      [`${root}/kernel.json`],
      workspace.root,
      [],
      {},
      '',
    );
    const kernels = [{ name: 'a_kernel_with_a_long_name_1f2e3d4c', match: 'kernel' }];
    const selected = selectionVariables(['apps/an-app/kernloop.json'], () =>
      JSON.stringify({ name: 'an-app', kernels }),
    );
    // "name=value", its end, and the pointer to it.
    const bytes = Object.entries({ ...own, ...selected }).map(([name, value]) => name.length + value.length + 2 + 8);
    expect(bytes).toHaveLength(3);
    expect(10_000 * bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(1.9e6);
  });
});
