import fs from 'node:fs';
import { basename } from 'node:path';
import { beforeTasks } from './plugin';
import { HashedWorkspace, root } from './testing/hashed-workspace';

/** Nx does it in every command, for every kernel of the workspace. */
describe('what the plugin does before the tasks of a command', () => {
  const environment = process.env;
  const workspace = new HashedWorkspace();
  afterAll(() => {
    process.env = environment;
    workspace.dispose();
  });

  it('reads each project file once for its fields, and kernel.json for what it compiles and for its digest', () => {
    const reads: Record<string, number> = { 'kernel.json': 0, 'kernloop.json': 0 };
    const count = (path: unknown): void => {
      const name = typeof path === 'string' ? basename(path) : '';
      if (name in reads) reads[name] = (reads[name] ?? 0) + 1;
    };
    const { openSync, readFileSync } = fs;
    jest.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => (count(path), openSync(path, ...rest)));
    jest
      .spyOn(fs, 'readFileSync')
      .mockImplementation(((path: string, options: 'utf8') => (count(path), readFileSync(path, options))) as never);
    process.env = { ...workspace.env };
    beforeTasks(['app/kernloop.json', `${root}/kernel.json`], workspace.root, workspace.argv);
    jest.restoreAllMocks();
    expect(reads).toEqual({ 'kernel.json': 3, 'kernloop.json': 1 });
  });
});
