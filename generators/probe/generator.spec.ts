import { rmSync } from 'node:fs';
import { logger } from 'nx/src/devkit-exports';
import { FsTree } from 'nx/src/generators/tree';
import { parseProbeSet } from '../../lib/probe/probe-set';
import { thrown } from '../../lib/testing/failure';
import { TestWorkspace, writeReproducer } from '../../lib/testing/workspace';
import { generateProbe } from './generator';

describe('probe', () => {
  let workspace: TestWorkspace;
  let tree: FsTree;
  const reproducer = 'kernels/app/saxpy';

  beforeEach(() => {
    jest.spyOn(logger, 'info').mockImplementation(() => undefined);
    workspace = new TestWorkspace();
    writeReproducer(workspace);
    tree = new FsTree(workspace.path('.'), false);
  });
  afterEach(() => {
    workspace.dispose();
    rmSync(workspace.path('.'), { recursive: true, force: true });
  });

  it.each(['thread', 'warp'] as const)('writes a file that runs as it is, with records of each %s', (level) => {
    generateProbe(tree, { reproducer, name: 'loads', level });
    const path = `${reproducer}/loads.toml`;
    expect(tree.listChanges().map((change) => change.path)).toEqual([path]);
    const { file, engine } = parseProbeSet(tree.read(path, 'utf8') ?? '', path);
    expect(file).toMatchObject({
      probes: [{ name: 'loads', level, positions: ['ld.global'] }],
      maps: [{ name: 'loads', level, size: 16, capacity: 'dynamic' }],
    });
    expect(engine).toMatchObject([{ map: 'loads', at: ['memory:global:load'], action: 'save' }]);
  });

  it('writes over nothing, and into no other folder', () => {
    tree.write(`${reproducer}/mine.toml`, 'mine');
    expect(thrown(() => generateProbe(tree, { reproducer, name: 'mine' }))).toMatchObject({ code: 'TARGET_EXISTS' });
    expect(tree.read(`${reproducer}/mine.toml`, 'utf8')).toBe('mine');
    expect(thrown(() => generateProbe(tree, { reproducer: 'kernels' }))).toMatchObject({ code: 'CONFIG_MISSING' });
    expect(() => generateProbe(tree, { reproducer, name: '../out' })).toThrow('letters');
  });
});
