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

  it('reads each project file once: for its fields, for what it compiles, and for its digest', () => {
    const parses: Record<string, number> = { 'kernel.json': 0, 'kernloop.json': 0 };
    const texts = new Map(
      [`${root}/kernel.json`, 'app/kernloop.json'].map((file) => [workspace.read(file), basename(file)]),
    );
    const { parse } = JSON;
    jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      const name = texts.get(text);
      if (name !== undefined) parses[name] = (parses[name] ?? 0) + 1;
      return parse(text, reviver) as unknown;
    });
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
    // kernloop.json as written for the values that Nx hashes, and by its schema for the pools of its runner.
    expect(parses).toEqual({ 'kernel.json': 1, 'kernloop.json': 2 });
    expect(reads).toEqual({ 'kernel.json': 1, 'kernloop.json': 1 });
  });
});
