import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseEntries, readWatchedCommand, type WatchedCommand } from './watched-command';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-watched-'));
  for (const name of ['a.cu', 'b.cu', 'k.hip', 'a.o']) writeFileSync(join(folder, name), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function command(executed: string, words: string[], responses: Record<string, string> = {}): WatchedCommand {
  const texts = new Map(Object.entries(responses).map(([path, text]) => [join(folder, path), text]));
  return { directory: folder, executed, words, variables: {}, responses: texts };
}

const seen = (executed: string, words: string[], responses?: Record<string, string>) =>
  databaseEntries(command(executed, words, responses)).map(({ file, output, arguments: args }) => ({
    file: file.slice(folder.length + 1),
    output: output.slice(folder.length + 1),
    compiler: args[0],
    args: args.slice(1),
  }));

describe('a compiler that a build started', () => {
  it('is the one that ran, wherever the build found it', () => {
    expect(seen('/opt/cuda/bin/nvcc', ['nvcc', '-c', 'a.cu'])).toEqual([
      { file: 'a.cu', output: 'a.o', compiler: '/opt/cuda/bin/nvcc', args: ['-c', 'a.cu'] },
    ]);
    expect(seen('../bin/nvcc', ['../bin/nvcc', '-c', 'a.cu'])[0]?.compiler).toBe(join(folder, '..', 'bin', 'nvcc'));
  });

  it('is seen behind a compiler cache, which may not start it', () => {
    expect(seen('/usr/bin/ccache', ['ccache', 'hipcc', '-O3', '-c', 'k.hip', '-o', 'o/k.o'])).toEqual([
      { file: 'k.hip', output: 'o/k.o', compiler: 'hipcc', args: ['-O3', '-c', 'k.hip', '-o', 'o/k.o'] },
    ]);
    // ccache installed under the name of a compiler.
    expect(seen('/usr/lib/ccache/hipcc', ['hipcc', '-c', 'k.hip'])[0]?.compiler).toBe('/usr/lib/ccache/hipcc');
  });

  it('compiles each source that it names, and no object', () => {
    const found = seen('/usr/bin/nvcc', ['nvcc', '-rdc=true', 'a.cu', 'a.o', 'b.cu', '-lm', '-o', 'app']);
    expect(found.map(({ file, output }) => [file, output])).toEqual([
      ['a.cu', 'app'],
      ['b.cu', 'app'],
    ]);
  });

  it('is read with its response files as they were, although they are gone', () => {
    const responses = { 'opts.rsp': '-DX="a b"\n-O1' };
    expect(seen('/usr/bin/nvcc', ['nvcc', '--options-file', 'opts.rsp', '-c', 'a.cu'], responses)[0]?.args).toEqual([
      '-DX=a b',
      '-O1',
      '-c',
      'a.cu',
    ]);
    expect(seen('/usr/bin/hipcc', ['hipcc', '@opts.rsp', '-c', 'k.hip'], responses)[0]?.args).toContain('-DX=a b');
  });

  it.each([
    ['links device code', ['nvcc', '-dlink', 'a.o', '-o', 'd.o']],
    ['links', ['nvcc', 'a.o', '-o', 'app']],
    ['preprocesses', ['hipcc', '-E', 'k.hip']],
    ['says what a unit depends on', ['nvcc', '-M', 'a.cu']],
    ['says its version', ['nvcc', '--version']],
    ['is a part of another', ['clang', '-cc1', '-triple', 'x', 'k.hip']],
    ['compiles what is gone', ['nvcc', '-c', 'gone.cu']],
    ['assembles PTX', ['nvcc', '-cubin', 'k.ptx']],
  ])('is left out where it %s', (_what, words) => {
    expect(seen(`/usr/bin/${words[0] ?? ''}`, words)).toEqual([]);
  });

  it('is kept where it writes PTX or a code object of its own', () => {
    expect(seen('/usr/bin/nvcc', ['nvcc', '-ptx', 'a.cu', '-o', 'a.ptx'])).toHaveLength(1);
    expect(seen('/usr/bin/hipcc', ['hipcc', '--genco', 'k.hip', '-o', 'k.hsaco'])).toHaveLength(1);
  });

  it('is left out where CMake tries a compiler, and kept in a unity build of it', () => {
    for (const path of ['CMakeFiles/3.25.1/CompilerIdCUDA/a.cu', 'CMakeFiles/app.dir/Unity/unity_0_cu.cu']) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    expect(seen('/usr/bin/nvcc', ['nvcc', '-c', 'CMakeFiles/3.25.1/CompilerIdCUDA/a.cu'])).toEqual([]);
    expect(seen('/usr/bin/nvcc', ['nvcc', '-c', 'CMakeFiles/app.dir/Unity/unity_0_cu.cu'])).toHaveLength(1);
  });
});

describe('a record of a compiler', () => {
  it('is read field by field, and refused where it is none', () => {
    const record = ['d/b', 'x/usr/bin/nvcc', 'anvcc', 'a@o', 'a', 'eCPATH=/x=y', 'ro', 't-O1', ''].join('\0');
    expect(readWatchedCommand(record)).toEqual({
      directory: '/b',
      executed: '/usr/bin/nvcc',
      words: ['nvcc', '@o', ''],
      variables: { CPATH: '/x=y' },
      responses: new Map([['/b/o', '-O1']]),
    });
    for (const text of ['', 'd/b\0', 'anvcc\0', 'd/b\0anvcc\0?what\0']) expect(readWatchedCommand(text)).toBeNull();
  });
});
