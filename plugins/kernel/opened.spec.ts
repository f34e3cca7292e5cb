import fs from 'node:fs';
import { basename } from 'node:path';
import { compileConditions } from '../../lib/recompile/current-variant';
import { openReproducer } from '../../lib/reproducer/reproducer';
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

  const built = `${root}/build/variant.json`;

  it('reads each project file once: for its fields, for what it compiles, and for its digest', () => {
    // `validate` builds an edit with line information.
    const conditions = compileConditions(openReproducer(workspace.path(root)), { lineInfo: true }, workspace.env);
    workspace.edit(built, (json) => ({ ...json, conditions_sha256: conditions }));
    const files = [`${root}/kernel.json`, 'app/kernloop.json', `${root}/pristine/recipe.json`, built];
    workspace.write('kernels/app/sum/pristine/recipe.json', `${workspace.read(`${root}/pristine/recipe.json`)}\n`);
    const none = Object.fromEntries(files.map((file) => [basename(file), 0]));
    const parses = { ...none };
    const texts = new Map(files.map((file) => [workspace.read(file), basename(file)]));
    const { parse } = JSON;
    jest.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      const name = texts.get(text);
      if (name !== undefined) parses[name] = (parses[name] ?? 0) + 1;
      return parse(text, reviver) as unknown;
    });
    const reads = { ...none };
    const count = (path: unknown): void => {
      const name = files.find((file) => workspace.path(file) === path);
      if (name !== undefined) reads[basename(name)] = (reads[basename(name)] ?? 0) + 1;
    };
    const { openSync, readFileSync } = fs;
    jest.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => (count(path), openSync(path, ...rest)));
    jest
      .spyOn(fs, 'readFileSync')
      .mockImplementation(((path: string, options: 'utf8') => (count(path), readFileSync(path, options))) as never);
    process.env = { ...workspace.env };
    beforeTasks(['app/kernloop.json', `${root}/kernel.json`], workspace.root, workspace.argv);
    jest.restoreAllMocks();
    // kernloop.json as written for the values that Nx hashes, and by its schema for the pools of its runner. recipe.json
    // for what generate wrote, too: a look would keep those of thousands of reproducers.
    expect(parses).toEqual({ 'kernel.json': 1, 'kernloop.json': 2, 'recipe.json': 2, 'variant.json': 1 });
    expect(reads).toEqual({ 'kernel.json': 1, 'kernloop.json': 1, 'recipe.json': 2, 'variant.json': 1 });
  });
});
