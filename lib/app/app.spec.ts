import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import type { KernloopError } from '../support/error';
import { thrown } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { openApp, selectedKernels } from './app';
import { findProgram } from './program';

describe('an app', () => {
  let workspace: TestWorkspace;

  afterEach(() => workspace.dispose());

  it('is found from a folder below it', () => {
    workspace = new TestWorkspace();
    mkdirSync(workspace.path('app/src/deep'), { recursive: true });
    expect(openApp(workspace.path('app/src/deep')).root).toBe(workspace.app);
  });

  it('has its reproducers in the workspace, and in its own folder where there is no workspace', () => {
    workspace = new TestWorkspace();
    expect(openApp(workspace.app).capture('saxpy')).toBe(workspace.path('kernels/app/saxpy/capture'));
  });

  it.each([
    ['an unknown field', { kernel: [] }, 'unknown field "kernel" (did you mean "kernels"?)'],
    [
      'an unknown field of a kernel',
      { kernels: [{ name: 'a', match: 'a', ordinl: 1 }] },
      'kernels.0: unknown field "ordinl" (did you mean "ordinal"?)',
    ],
    ['a regular expression that is none', { kernels: [{ name: 'a', match: '(' }] }, 'kernels.0.match'],
    ['a name that is no folder', { kernels: [{ name: '../a', match: 'a' }] }, 'kernels.0.name'],
    [
      'two kernels of one name',
      {
        kernels: [
          { name: 'a', match: 'a' },
          { name: 'a', match: 'b' },
        ],
      },
      'two kernels have the same name',
    ],
    ['no command', { command: [] }, 'command'],
    ['a working directory outside', { cwd: '../elsewhere' }, 'leaves'],
  ])('is rejected with %s', (_name, change, message) => {
    workspace = new TestWorkspace(change);
    expect(() => openApp(workspace.app)).toThrow(message);
  });

  it('is not another app above a folder that does not exist', () => {
    workspace = new TestWorkspace();
    const error = thrown(() => openApp(workspace.path('app/nosuch')));
    expect([error.code, error.what]).toEqual(['CONFIG_MISSING', `${workspace.path('app/nosuch')} does not exist`]);
  });

  it('names line and column where its JSON ends to make sense', () => {
    workspace = new TestWorkspace();
    workspace.write('app/kernloop.json', '{\n  "name": "a"\n  "command": []\n}');
    expect(thrown(() => openApp(workspace.app)).what).toMatch(/is not JSON: .* \(line 3, column 3\)$/);
  });

  it('names apps below a folder that has none', () => {
    workspace = new TestWorkspace();
    const error = thrown(() => openApp(workspace.root));
    expect(error).toMatchObject({ code: 'CONFIG_MISSING', exitCode: 2 });
    expect(error.hint).toContain('apps below here: app');
  });

  it('finds its program relative to cwd, or on the PATH', () => {
    workspace = new TestWorkspace();
    expect(findProgram(openApp(workspace.app), {})).toBe(workspace.path('app/program'));
    workspace.dispose();
    workspace = new TestWorkspace({ command: ['sh', '-c', 'true'] });
    expect(realpathSync(findProgram(openApp(workspace.app), { PATH: '/nowhere:/bin' }))).toMatch(/sh$/);
  });

  it.each([
    ['a file that is not executable', './kernloop.json', 'not an executable file'],
    ['a folder', './', 'not an executable file'],
    ['a program that no folder of the PATH has', 'no-such-program', 'not on the PATH'],
  ])('does not start %s', (_name, program, message) => {
    workspace = new TestWorkspace({ command: [program] });
    const error = thrown(() => findProgram(openApp(workspace.app), { PATH: '/bin' }));
    expect(error).toMatchObject({ code: 'APP_NOT_FOUND', exitCode: 2 });
    expect(error.what).toContain(message);
  });

  const hipcc = '`hipcc --offload-arch=gfx90a -o lab lab.hip`';
  it.each([
    ['that is not built', './lab', ['lab.hip', 'lab.hip.txt'], 'it is not built, and lab.hip is there', hipcc],
    ['that is not built of CUDA', './lab', ['lab.cu'], 'lab.cu is there', '`nvcc -o lab lab.cu`'],
    ['that is its source', './lab.hip', ['lab.hip'], './lab.hip is source code', hipcc],
    [
      'that is its source in a folder',
      './src/my lab.cpp',
      ['src/my lab.cpp'],
      'source',
      "-o 'src/my lab' 'src/my lab.cpp'",
    ],
    ['that is a header', './lab.h', ['lab.h'], './lab.h is source code', 'name the program that is built with it'],
    ['that is a script without interpreter', './lab.py', ['lab.py'], 'source code', '`python3 lab.py`'],
  ])('says of a program %s how to get one, and never to run its source', (_name, program, files, what, hint) => {
    workspace = new TestWorkspace({ command: [program] });
    for (const [index, file] of files.entries()) {
      workspace.write(`app/${file}`, '__global__ void k() {}\n');
      // A shell would run even this one.
      if (index === 0) chmodSync(workspace.path('app', file), 0o755);
    }
    const find = (): KernloopError => thrown(() => findProgram(openApp(workspace.app), {}));
    expect(find()).toMatchObject({ code: 'APP_NOT_FOUND', exitCode: 2 });
    expect(find().what).toContain(what);
    expect(find().hint).toContain(hint);
    for (const file of files) chmodSync(workspace.path('app', file), 0o644);
    expect([find().what, find().hint]).toEqual([expect.stringContaining(what), expect.stringContaining(hint)]);
    expect(find().hint).not.toMatch(/chmod|did you mean/);
  });

  it('names the target of the device to compile it for', () => {
    workspace = new TestWorkspace({ command: ['./lab.hip'] });
    workspace.write('app/lab.hip', '__global__ void k() {}\n');
    const find = (isa: string): string => thrown(() => findProgram(openApp(workspace.app), {}, isa)).hint;
    expect(find('amdgcn-amd-amdhsa--gfx1030:xnack-')).toContain('`hipcc --offload-arch=gfx1030 -o lab lab.hip`');
    expect(find('sm_90')).toContain('`hipcc --offload-arch=gfx90a -o lab lab.hip`');
  });

  it.each(['#!/usr/bin/env python3\n', '\x7fELF\x02'])('starts a program with the name of a source: %j', (begin) => {
    workspace = new TestWorkspace({ command: ['./lab.c'] });
    chmodSync(workspace.write('app/lab.c', begin), 0o755);
    expect(findProgram(openApp(workspace.app), {})).toBe(workspace.path('app/lab.c'));
  });

  describe('names the kernels that are asked for', () => {
    let said: string[];
    const select = (...asked: string[]): string[] => {
      said = [];
      const kernels = ['saxpy', 'scale', 'scale2', 'sum'].map((name) => ({ name, match: `^${name}[(<]` }));
      workspace = new TestWorkspace({ kernels });
      return selectedKernels(openApp(workspace.app), asked, { info: (text) => said.push(text) });
    };

    it.each([
      ['all without a name', [], ['saxpy', 'scale', 'scale2', 'sum']],
      ['by name, although it is a part of another one', ['scale'], ['scale']],
      ['by an expression that fits one', ['^sa'], ['saxpy']],
      ['by the name of the kernel that it declares', ['scale(float const*', 'int)'], ['scale']],
      ['by one with template arguments', ['scale2<float', '4>'], ['scale2']],
      ['each once', ['sum', 'u', 'saxpy'], ['sum', 'saxpy']],
    ])('%s', (_, asked, expected) => {
      expect(select(...asked)).toEqual(expected);
    });

    it('says what it takes an expression for, and nothing of a name', () => {
      select('^sa', 'sum');
      expect(said).toEqual(['"^sa" is taken for saxpy, the declared kernel that it fits']);
    });

    it('refuses an expression that fits several, by their names', () => {
      const error = thrown(() => select('.*'));
      expect([error.code, error.what]).toEqual(['USAGE', '".*" matches 4 kernels of app: saxpy, scale, scale2, sum']);
      expect(error.hint).toContain('-k saxpy -k scale');
    });

    it.each(['skale', '(', 'scale3', 'scale*3'])('refuses %s, which fits none, with the nearest', (text) => {
      expect(thrown(() => select(text))).toMatchObject({ code: 'KERNEL_UNKNOWN' });
    });
  });
});
