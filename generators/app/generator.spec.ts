import { readFileSync } from 'node:fs';
import { logger, readJson, type Tree } from 'nx/src/devkit-exports';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import { kernloopJsonSchema, type KernloopJson } from '../../lib/app/kernloop-json';
import { failure } from '../../lib/testing/failure';
import init from '../init/generator';
import app, { adoptApp } from './generator';
import type { AppOptions } from './options';

let tree: Tree;
const program = readFileSync('/bin/true');

beforeEach(() => {
  jest.restoreAllMocks();
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

const adopt = (options: AppOptions) => adoptApp(tree, options, undefined);

describe('app', () => {
  it('describes a CMake app from what lies in its folder', async () => {
    await adopt({ directory: 'apps/demo' });
    expect(tree.read('apps/demo/kernloop.json', 'utf-8')).toMatchInlineSnapshot(`
      "{
        "$schema": "../../node_modules/kernloop/schemas/kernloop.schema.json",
        "name": "demo",
        "device": "softgpu",
        "build": {
          "configure": [
            "cmake",
            "-S",
            ".",
            "-B",
            "build",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
          ],
          "command": [
            "cmake",
            "--build",
            "build"
          ],
          "outputs": [
            "build"
          ]
        },
        "command": [
          "build/demo"
        ],
        "source": ".",
        "compileCommands": "build/compile_commands.json",
        "kernels": []
      }
      "
    `);
    expect(tree.read('nx.json', 'utf-8')).toMatchInlineSnapshot(`
      "{
        "affected": {
          "defaultBase": "main"
        },
        "targetDefaults": {
          "build": {
            "cache": true
          },
          "lint": {
            "cache": true
          }
        },
        "plugins": [
          "kernloop/plugin"
        ],
        "cacheDirectory": ".nx/cache"
      }"
    `);
    expect(tree.read('.gitignore', 'utf-8')).toMatchInlineSnapshot(`
      "# Kernloop: commit all of a reproducer, except for what its stages write
      node_modules
      .nx/cache
      .nx/workspace-data
      .kernloop/
      **/kernels/*/*/capture/
      **/kernels/*/*/captures/
      **/kernels/*/*/capture.lock
      **/kernels/*/*/build/
      **/kernels/*/*/report.json
      **/kernels/*/*/pgo/
      **/kernels/*/*/trace/
      *.partial-*
      "
    `);
    expect(kernloopJsonSchema.safeParse(written()).success).toBe(true);
  });

  it('changes nothing when it runs again', async () => {
    await adopt({ directory: 'apps/demo' });
    const before = tree.listChanges().map(({ path, content }) => [path, content?.toString()]);
    await adopt({ directory: 'apps/demo', name: 'other' });
    expect(tree.listChanges().map(({ path, content }) => [path, content?.toString()])).toEqual(before);
  });

  it('takes a program for one, whatever its name looks like, and no library with its versions', async () => {
    tree.delete('apps/demo/build/demo');
    tree.write('apps/demo/build/libother.so', program);
    tree.write('apps/demo/build/libother.so.1.2', program);
    tree.write('apps/demo/build/heat.solver', program);
    await adopt({ directory: 'apps/demo' });
    expect(written().command).toEqual(['build/heat.solver']);
  });

  it('takes what it is told over what it finds', async () => {
    await adopt({
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

  it('declares kernels by a pattern that takes the function and not one named alike', async () => {
    await adopt({ directory: 'apps/demo', kernel: ['scale'] });
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

  it('writes a program of the folder itself so that it is not looked for on the PATH', async () => {
    tree.write('apps/flat/Makefile', 'all:');
    tree.write('apps/flat/app', program);
    await adopt({ directory: 'apps/flat' });
    expect(written('apps/flat/kernloop.json').command).toEqual(['./app']);
    tree.delete('apps/flat/kernloop.json');
    await adopt({ directory: 'apps/flat', command: ['app', 'input.txt'] });
    expect(written('apps/flat/kernloop.json').command).toEqual(['./app', 'input.txt']);
    tree.delete('apps/flat/kernloop.json');
    await adopt({ directory: 'apps/flat', command: ['python3', 'app'] });
    expect(written('apps/flat/kernloop.json').command).toEqual(['python3', 'app']);
    tree.write('run', program);
    await adopt({ directory: '.', command: ['run'] });
    expect(written('kernloop.json').command).toEqual(['./run']);
  });

  const refusal = (options: AppOptions) => failure(adopt(options));

  it('says which programs there are, or that there is none, where nobody can be asked', async () => {
    tree.write('apps/demo/build/tool', program);
    const several = await refusal({ directory: 'apps/demo' });
    expect(several).toMatchObject({ code: 'USAGE', what: 'several programs were found: build/demo, build/tool' });
    expect(several.hint).toContain('--command="build/demo');
    tree.write('apps/new/Makefile', 'all:');
    const unbuilt = await refusal({ directory: 'apps/new' });
    expect(unbuilt.what).toBe('no program was found below apps/new, which is not built yet');
    expect(unbuilt.hint).toMatch(
      /^build it once with `make` in apps\/new, and run this again; or name the program that/,
    );
    tree.write('apps/none/notes.txt', '');
    const none = await refusal({ directory: 'apps/none' });
    expect([none.what, none.hint]).toEqual([
      'no program was found below apps/none',
      expect.stringMatching(/^name the program and its arguments, .* or build the app first$/),
    ]);
    await adopt({ directory: 'apps/new', command: ['./new'] });
    expect(written('apps/new/kernloop.json')).toMatchObject({ name: 'new', build: { command: ['make'] } });
  });

  it('refuses a folder outside the workspace, none, and a file, for which it says what to type', async () => {
    expect((await refusal({ directory: '../elsewhere' })).what).toContain('no folder of the workspace');
    expect((await refusal({ directory: 'apps/none' })).what).toContain('no folder of the workspace');
    expect((await refusal({ directory: 'apps/demo/build/demo' })).hint).toContain('apps/demo/build --command=demo');
  });

  it('says what is wrong with a kernloop.json that is there', async () => {
    tree.write('apps/demo/kernloop.json', '{ "command": ["./demo"] }');
    expect(await refusal({ directory: 'apps/demo' })).toMatchObject({
      code: 'CONFIG_INVALID',
      what: expect.stringContaining('name') as string,
    });
  });

  it('refuses the name of another app, which would cost Nx the whole graph', async () => {
    await adopt({ directory: 'apps/demo' });
    tree.write('other/demo/Makefile', 'all:');
    expect(await refusal({ directory: 'other/demo', command: ['./x'] })).toMatchObject({
      code: 'APP_CONFLICT',
      what: expect.stringContaining('apps/demo/kernloop.json') as string,
    });
    await adopt({ directory: 'other/demo', command: ['./x'], name: 'demo-2' });
    expect(written('other/demo/kernloop.json').name).toBe('demo-2');
  });

  describe('at a terminal', () => {
    const asked: [string, readonly string[]][] = [];
    const answering = (answer: string) => (question: string, choices: readonly string[]) => {
      asked.push([question, choices]);
      return Promise.resolve(answer);
    };

    it('asks which of several programs it is, and takes arguments with the answer', async () => {
      tree.write('apps/demo/build/tool', program);
      await adoptApp(tree, { directory: 'apps/demo' }, answering('build/tool --size "3 4"'));
      expect(asked).toEqual([[expect.stringContaining('apps/demo'), ['build/demo', 'build/tool']]]);
      expect(written().command).toEqual(['build/tool', '--size', '3 4']);
    });

    it('takes no answer for none', async () => {
      tree.write('apps/new/Makefile', 'all:');
      expect(await failure(adoptApp(tree, { directory: 'apps/new' }, answering('')))).toMatchObject({ code: 'USAGE' });
    });
  });

  it('declares what make leaves as its output, so that Nx sees another program', async () => {
    tree.write('apps/flat/makefile', 'all:');
    tree.write('apps/flat/app', program);
    await adopt({ directory: 'apps/flat' });
    expect(written('apps/flat/kernloop.json').build).toEqual({ command: ['make'], outputs: ['app'] });
  });

  it('takes the program that CMake is going to make, in the folder that it was configured in', async () => {
    tree.write(
      'apps/new/CMakeLists.txt',
      'project(sim CXX) # add_executable(not)\nadd_executable(${PROJECT_NAME} a.cpp)',
    );
    tree.write('apps/new/out/CMakeCache.txt', '');
    await adopt({ directory: 'apps/new' });
    expect(written('apps/new/kernloop.json')).toMatchObject({
      command: ['out/sim'],
      compileCommands: 'out/compile_commands.json',
      build: { command: ['cmake', '--build', 'out'], outputs: ['out'] },
    });
  });

  it.each([
    ['the default goal', 'demo: demo.hip\n\thipcc -o $@ $<\n', './demo'],
    ['what the goal "all" needs', '.PHONY: all clean\nall: bin/demo\nbin/demo: a.o\n\thipcc -o $@ $^\n', 'bin/demo'],
    [
      'a variable',
      'CXX ?= hipcc\nBIN = bin\nPROGRAM := $(BIN)/demo\nall: ${PROGRAM}\n$(PROGRAM): a.hip\n\t$(CXX) a.hip\n',
      'bin/demo',
    ],
    [
      'a named goal',
      '.DEFAULT_GOAL := demo\nclean:\n\trm demo\ndemo: a.hip b.hip \\\n  c.hip # all\n\thipcc\n',
      './demo',
    ],
  ])('takes the program that a Makefile is going to make by %s', async (_case, text, command) => {
    tree.write('apps/new/Makefile', text);
    await adopt({ directory: 'apps/new' });
    const output = command.replace('./', '');
    expect(written('apps/new/kernloop.json')).toMatchObject({ command: [command], build: { outputs: [output] } });
    expect(tree.read('apps/new/.gitignore', 'utf-8')).toBe(`# Kernloop: what the build writes\n/${output}\n`);
  });

  it.each([
    ['no rule for it', 'all: demo\n', 'no program was found'],
    ['only a goal without a file', '.PHONY: run\nrun:\n\t./x\n', 'no program was found'],
    ['one named by a function', 'P = $(shell pwd)/demo\n$(P): a.hip\n\thipcc\n', 'no program was found'],
    ['one named by a variable with two values', 'P = a\nP = b\n$(P): a.hip\n\thipcc\n', 'no program was found'],
    ['a library', 'all: liba.so\nliba.so: a.hip\n\thipcc\n', 'no program was found'],
    ['a pattern', '%.o: %.c\n\tcc\n', 'no program was found'],
    ['two programs', 'all: a b\na: a.c\n\tcc\nb: b.c\n\tcc\n', 'several programs were found: ./a, ./b'],
  ])('guesses no program where a Makefile declares %s', async (_case, text, what) => {
    tree.write('apps/new/Makefile', text);
    expect((await refusal({ directory: 'apps/new' })).what).toContain(what);
  });

  it('has git ignore what the build writes, unless it is ignored already', async () => {
    const ignored = 'apps/demo/.gitignore';
    tree.write(ignored, '*.o');
    await adopt({ directory: 'apps/demo' });
    expect(tree.read(ignored, 'utf-8')).toBe('*.o\n\n# Kernloop: what the build writes\n/build\n');
    tree.delete('apps/demo/kernloop.json');
    await adopt({ directory: 'apps/demo' });
    expect(tree.read(ignored, 'utf-8')?.match(/build$/gm)).toHaveLength(1);
    for (const line of ['build', 'build/', '**/build/', 'apps/demo/build']) {
      tree.delete('apps/demo/kernloop.json');
      tree.delete(ignored);
      tree.write('.gitignore', `${line}\n`);
      await adopt({ directory: 'apps/demo' });
      expect([line, tree.exists(ignored)]).toEqual([line, false]);
    }
  });

  it.each([
    [
      'two of them',
      'add_executable(a a.cpp)\nadd_executable(b b.cpp)',
      'several programs were found: build/a, build/b',
    ],
    ['one put elsewhere', 'set(CMAKE_RUNTIME_OUTPUT_DIRECTORY bin)\nadd_executable(a a.cpp)', 'no program was found'],
    ['one named by a variable', 'add_executable(${target} a.cpp)', 'no program was found'],
    ['one of another project', 'add_executable(a IMPORTED)', 'no program was found'],
  ])('guesses no program where CMakeLists.txt declares %s', async (_case, text, what) => {
    tree.write('apps/new/CMakeLists.txt', text);
    expect((await refusal({ directory: 'apps/new' })).what).toContain(what);
  });

  it('knows programs from code objects of GPUs, which are ELF files, too', async () => {
    const cubin = Buffer.from(program);
    cubin.writeUInt16LE(190, 18);
    tree.write('apps/demo/build/kernels.bin', cubin);
    await adopt({ directory: 'apps/demo' });
    expect(written().command).toEqual(['build/demo']);
  });

  describe('of a Python program', () => {
    const command = async (options: Partial<AppOptions> = {}) => {
      await adopt({ directory: 'apps/train', ...options });
      return written('apps/train/kernloop.json').command;
    };
    const main = 'if __name__ == "__main__":\n    run()\n';

    it('starts the one script that is there to be started', async () => {
      tree.write('apps/train/model.py', 'def run(): ...');
      tree.write('apps/train/train.py', main);
      tree.write('apps/train/setup.py', main);
      expect(await command()).toEqual(['python3', 'train.py']);
      expect(logger.warn).not.toHaveBeenCalled();
    });

    it('starts the script that it is given, with its arguments', async () => {
      tree.write('apps/train/src/train.py', '');
      tree.write('apps/train/src/other.py', main);
      expect(await command({ command: ['src/train.py --epochs 3'] })).toEqual([
        'python3',
        'src/train.py',
        '--epochs',
        '3',
      ]);
    });

    it('names the scripts where there are several', async () => {
      tree.write('apps/train/a.py', main);
      tree.write('apps/train/b.py', '#!/usr/bin/env python3\n');
      expect((await refusal({ directory: 'apps/train' })).what).toBe('several programs were found: a.py, b.py');
    });
  });

  it('sets the workspace up, and is what init does with a folder', async () => {
    tree.delete('nx.json');
    tree.write('apps/flat/app', program);
    await init(tree, { directory: 'apps/flat', kernel: ['scale'] });
    expect(readJson<{ plugins: string[] }>(tree, 'nx.json').plugins).toEqual(['kernloop/plugin']);
    expect(written('apps/flat/kernloop.json')).toMatchObject({ command: ['./app'], kernels: [{ name: 'scale' }] });
  });

  it('gives Nx, which prints nothing but the message of an error, the hint in it', async () => {
    tree.write('apps/new/Makefile', 'all:');
    await expect(app(tree, { directory: 'apps/new' })).rejects.toThrow(/no program was found[^]*--command=/);
  });
});
