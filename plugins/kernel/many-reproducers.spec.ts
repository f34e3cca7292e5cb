import { constants } from 'node:buffer';
import fs, { readdirSync, rmSync } from 'node:fs';
import { kernelJson, TestWorkspace } from '../../lib/testing/workspace';
import { beforeTasks, projectsOf } from './plugin';
import { reproducerValues } from './reproducer-values';

/**
 * Ten thousand reproducers cost ten thousand times one: tested by bytes read, not by time (bench/ten-thousand.mjs has
 * times).
 */
describe('a workspace of many reproducers', () => {
  let workspace: TestWorkspace;
  afterEach(() => {
    jest.restoreAllMocks();
    workspace.dispose();
  });

  /** File system calls and bytes read per reproducer, for this number of them. */
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
    const { values } = reproducerValues(files, workspace.root, [], {}, 'toolchain');
    jest.restoreAllMocks();
    expect(Object.keys(values)).toHaveLength(2 * count);
    workspace.dispose();
    return { calls, bytes };
  }

  it('reads as much for the next of them as for the one before', () => {
    type Cost = ReturnType<typeof costOf>;
    const [some, twice, fourTimes] = [4, 8, 16].map(costOf) as [Cost, Cost, Cost];
    for (const what of ['calls', 'bytes'] as const) {
      expect(some[what]).toBeGreaterThan(4);
      const [first, second] = [twice[what] - some[what], fourTimes[what] - twice[what]];
      expect([what, second]).toEqual([what, 2 * first]);
    }
    // One list of its folder; kernel.json is opened and read once.
    expect((twice.calls - some.calls) / 4).toBe(3);
  });

  it('has as many variables as a workspace of one, since Nx copies all of them for each task', () => {
    const variablesOf = (count: number): string[] => {
      const names = Array.from({ length: count }, (_, index) => `kernel_${index}`);
      workspace = new TestWorkspace({ kernels: names.map((name) => ({ name, match: name })) });
      for (const name of names) workspace.write(`kernels/app/${name}/kernel.json`, kernelJson({ name }));
      const files = ['app/kernloop.json', ...names.map((name) => `kernels/app/${name}/kernel.json`)];
      const before = { ...process.env };
      try {
        beforeTasks(files, workspace.root, []);
        return Object.keys(process.env).filter((name) => process.env[name] !== before[name]);
      } finally {
        process.env = before;
      }
    };
    const one = variablesOf(1);
    expect(one).toContain('KERNLOOP_TOOLCHAIN');
    expect(workspace.read('.kernloop/inputs/.gitignore')).toBe('*\n');
    workspace.dispose();
    expect(variablesOf(5)).toEqual(one);
    // Selection, judged files and build of each.
    const written = readdirSync(workspace.path('.kernloop/inputs'), { recursive: true, encoding: 'utf8' });
    expect(written.filter((path) => /\/(selection|judged|built)$/.test(path))).toHaveLength(15);
  });

  it('has a project graph, and notes of where each of its inputs comes from, that fit into a string of V8 twice', () => {
    workspace = new TestWorkspace();
    const root = 'kernels/app/kernel_1234';
    const { projects = {} } = projectsOf(`${root}/kernel.json`, () => JSON.stringify(kernelJson()), new Set([root]));
    // Sizes as Nx writes both (project-graph.json, source-maps.json), with a record per leaf.
    const graph = JSON.stringify({ nodes: projects }, null, 2).length;
    const note = JSON.stringify({ notes: { [root]: { 'targets.validate.inputs.1': [root, 'kernloop'] } } }, null, 2);
    const leaves = Object.values(projects[root]?.targets ?? {}).flatMap(({ inputs }) => inputs ?? []);
    expect(leaves.length).toBeGreaterThan(10);
    for (const bytes of [graph, note.length * leaves.length])
      expect(bytes * 10_000).toBeLessThan(constants.MAX_STRING_LENGTH / 2);
  });

  it('takes nothing from the cache where it cannot write what tasks are hashed by, and leaves other tasks alone', () => {
    workspace = new TestWorkspace({ kernels: [{ name: 'saxpy', match: 'saxpy' }] });
    workspace.write('.kernloop', 'a file in the place of the folder');
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const before = { ...process.env };
    const digest = (): string | undefined => {
      beforeTasks(['app/kernloop.json'], workspace.root, []);
      return process.env['KERNLOOP_PACKAGE_DIGEST'];
    };
    try {
      const [first, second] = [digest(), digest()];
      expect(first).not.toBe(second);
      expect(process.env['KERNLOOP_COMMAND_INPUTS']).toBeUndefined();
      expect(said).toHaveBeenCalledWith(expect.stringContaining('cannot be written'));
      rmSync(workspace.path('.kernloop'));
      expect(digest()).toBe(digest());
    } finally {
      process.env = before;
    }
  });
});
