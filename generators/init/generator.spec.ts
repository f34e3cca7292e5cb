import { readFileSync } from 'node:fs';
import { logger, readJson, readNxJson, updateNxJson, type Tree } from '@nx/devkit';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import { kernloopJsonSchema, type KernloopJson } from '../../lib/app/kernloop-json';
import init from './generator';

let tree: Tree;
const program = readFileSync('/bin/true');

beforeEach(() => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(logger, level).mockImplementation(() => undefined);
  tree = createTreeWithEmptyWorkspace();
  tree.write('apps/demo/CMakeLists.txt', 'project(demo)');
  tree.write('apps/demo/build/demo', program);
  tree.write('apps/demo/build/libdemo.so.1', program);
  tree.write('apps/demo/build/CMakeFiles/3.25.1/CompilerIdCXX/a.out', program);
  tree.write('apps/demo/build/demo.txt', 'no program');
  tree.write('apps/demo/build/compile_commands.json', '[]');
});

const written = (path = 'apps/demo/kernloop.json'): KernloopJson => readJson(tree, path);

describe('init', () => {
  it('describes a CMake app from what lies in its folder', () => {
    init(tree, { directory: 'apps/demo' });
    expect(tree.read('apps/demo/kernloop.json', 'utf-8')).toMatchSnapshot('kernloop.json');
    expect(tree.read('nx.json', 'utf-8')).toMatchSnapshot('nx.json');
    expect(tree.read('.gitignore', 'utf-8')).toMatchSnapshot('.gitignore');
    expect(kernloopJsonSchema.safeParse(written()).success).toBe(true);
  });

  it('changes nothing when it runs again', () => {
    init(tree, { directory: 'apps/demo' });
    const before = tree.listChanges().map(({ path, content }) => [path, content?.toString()]);
    init(tree, { directory: 'apps/demo', name: 'other' });
    expect(tree.listChanges().map(({ path, content }) => [path, content?.toString()])).toEqual(before);
  });

  it('takes what it is told over what it finds', () => {
    init(tree, {
      directory: 'apps/demo',
      name: 'mine',
      command: ['build/demo', '--fast'],
      compileCommands: 'db.json',
      device: 'hsa',
    });
    expect(written()).toMatchObject({
      name: 'mine',
      command: ['build/demo', '--fast'],
      compileCommands: 'db.json',
      device: 'hsa',
    });
  });

  it('declares kernels by a pattern that takes the function and not one named alike', () => {
    init(tree, { directory: 'apps/demo', kernel: ['scale'] });
    const pattern = new RegExp(written().kernels[0]?.match ?? '');
    for (const name of [
      'scale',
      'scale(float*)',
      'a::b::scale(int)',
      'void a::(anonymous namespace)::scale<float>(float*)',
    ]) {
      expect(name).toMatch(pattern);
    }
    for (const name of ['scale_all(float*)', 'rescale(int)', 'scale::other(int)']) expect(name).not.toMatch(pattern);
  });

  it('writes a program of the folder itself so that it is not looked for on the PATH', () => {
    tree.write('apps/flat/Makefile', 'all:');
    tree.write('apps/flat/app', program);
    init(tree, { directory: 'apps/flat' });
    expect(written('apps/flat/kernloop.json').command).toEqual(['./app']);
    tree.delete('apps/flat/kernloop.json');
    init(tree, { directory: 'apps/flat', command: ['app', 'input.txt'] });
    expect(written('apps/flat/kernloop.json').command).toEqual(['./app', 'input.txt']);
    tree.delete('apps/flat/kernloop.json');
    init(tree, { directory: 'apps/flat', command: ['python3', 'app'] });
    expect(written('apps/flat/kernloop.json').command).toEqual(['python3', 'app']);
    tree.write('run', program);
    init(tree, { directory: '.', command: ['run'] });
    expect(written('kernloop.json').command).toEqual(['./run']);
  });

  it('makes the nx.json of a workspace that has none', () => {
    tree.delete('nx.json');
    init(tree, { directory: 'apps/demo' });
    expect(readJson(tree, 'nx.json')).toEqual({
      $schema: './node_modules/nx/schemas/nx-schema.json',
      plugins: ['kernloop/plugin'],
      cacheDirectory: '.nx/cache',
      analytics: false,
      neverConnectToCloud: true,
    });
    const before = tree.read('nx.json', 'utf-8');
    init(tree, { directory: 'apps/demo' });
    expect(tree.read('nx.json', 'utf-8')).toBe(before);
  });

  it('leaves open what a workspace has left open: its cloud and its analytics', () => {
    init(tree, { directory: 'apps/demo' });
    const after = readNxJson(tree);
    expect(after?.plugins).toEqual(['kernloop/plugin']);
    for (const key of ['analytics', 'neverConnectToCloud']) expect(after).not.toHaveProperty(key);
  });

  it('asks for the command where there is no program, or more than one', () => {
    tree.write('apps/demo/build/tool', program);
    expect(() => init(tree, { directory: 'apps/demo' })).toThrow('several programs were found: build/demo, build/tool');
    tree.write('apps/new/Makefile', 'all:');
    expect(() => init(tree, { directory: 'apps/new' })).toThrow('no program was found below apps/new');
    init(tree, { directory: 'apps/new', command: ['./new'] });
    expect(written('apps/new/kernloop.json')).toMatchObject({ name: 'new', build: { command: ['make'] } });
  });

  it('refuses a folder outside the workspace, or none', () => {
    expect(() => init(tree, { directory: '../elsewhere' })).toThrow('no folder of the workspace');
    expect(() => init(tree, { directory: 'apps/none' })).toThrow('no folder of the workspace');
  });

  it("keeps the workspace's own choices", () => {
    const nxJson = {
      ...readNxJson(tree),
      plugins: ['other', { plugin: 'kernloop/plugin' }],
      cacheDirectory: 'tmp/cache',
      nxCloudId: 'team',
    };
    updateNxJson(tree, nxJson);
    tree.write('.gitignore', 'node_modules\n.nx\n');
    init(tree, { directory: 'apps/demo' });
    const after = readNxJson(tree);
    expect(after).toMatchObject({
      plugins: ['other', { plugin: 'kernloop/plugin' }],
      cacheDirectory: 'tmp/cache',
      nxCloudId: 'team',
    });
    expect(after).not.toHaveProperty('neverConnectToCloud');
    const ignoredLines = tree.read('.gitignore', 'utf-8')?.split('\n') ?? [];
    expect(ignoredLines).not.toContain('.nx/cache');
    expect(ignoredLines).toContain('**/kernels/*/*/capture/');
  });
});
