import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { readCompileDatabase } from './compile-database';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-database-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function read(entries: unknown) {
  const path = join(folder, 'compile_commands.json');
  writeFileSync(path, typeof entries === 'string' ? entries : JSON.stringify(entries));
  return readCompileDatabase(path);
}

describe('readCompileDatabase', () => {
  it('reads both the command and the arguments form, relative to their directory', () => {
    expect(
      read([
        { directory: '/b', command: 'hipcc -DA="x y" -c ../s/k.hip', file: '../s/k.hip' },
        { directory: '/b', arguments: ['clang++', '-c', 'k.cpp'], file: 'k.cpp', output: 'sub/k.o' },
      ]),
    ).toEqual([
      { directory: '/b', file: '/s/k.hip', compiler: 'hipcc', args: ['-DA=x y', '-c', '../s/k.hip'], output: '/b/k.o' },
      { directory: '/b', file: '/b/k.cpp', compiler: 'clang++', args: ['-c', 'k.cpp'], output: '/b/sub/k.o' },
    ]);
  });

  it('sees the compiler behind a compiler cache', () => {
    expect(
      read([{ directory: '/b', command: '/usr/bin/ccache /usr/bin/hipcc -c k.hip', file: 'k.hip' }])[0]?.compiler,
    ).toBe('/usr/bin/hipcc');
  });

  it.each([
    'env /usr/bin/hipcc',
    'env CCACHE_CPP2=yes ccache /usr/bin/hipcc',
    '/usr/bin/env -u CPATH -i X=1 Y= /usr/bin/ccache env Z=2 /usr/bin/hipcc',
    'env -- A=1 sccache /usr/bin/hipcc',
    'CCACHE_CPP2=yes ccache /usr/bin/hipcc',
  ])('sees the compiler behind %s', (launched) => {
    const [found] = read([{ directory: '/b', command: `${launched} -DX=1 -c k.hip`, file: 'k.hip' }]);
    expect([found?.compiler, found?.args]).toEqual(['/usr/bin/hipcc', ['-DX=1', '-c', 'k.hip']]);
  });

  it.each(['env -C elsewhere hipcc -c k.hip', 'env X=1'])(
    'takes nothing of "%s" for a compiler that it is not',
    (command) => {
      expect(read([{ directory: '/b', command, file: 'k.hip' }])[0]?.compiler).toBe('env');
    },
  );

  it('expands response files, which may name others', () => {
    writeFileSync(join(folder, 'a.rsp'), '-DA -I"with space" @b.rsp');
    writeFileSync(join(folder, 'b.rsp'), '-DB');
    expect(read([{ directory: folder, command: 'hipcc @a.rsp -c k.hip', file: 'k.hip' }])[0]?.args).toEqual([
      '-DA',
      '-Iwith space',
      '-DB',
      '-c',
      'k.hip',
    ]);
  });

  it('expands the options files of nvcc', () => {
    writeFileSync(join(folder, 'includes.rsp'), '-I"/with space" -isystem=/sys');
    writeFileSync(join(folder, 'more.rsp'), '-DB');
    const of = (command: string) => read([{ directory: folder, command, file: 'k.cu' }])[0]?.args;
    expect(of('nvcc -DA --options-file includes.rsp,more.rsp -c k.cu')).toEqual([
      ...['-DA', '-I/with space', '-isystem=/sys', '-DB', '-c', 'k.cu'],
    ]);
    expect(of('/cuda/bin/nvcc -optf=more.rsp k.cu')).toEqual(['-DB', 'k.cu']);
    expect(() => of('nvcc --options-file gone.rsp -c k.cu')).toThrow(/gone\.rsp.*does not exist/);
  });

  it('ends on a response file that names itself', () => {
    writeFileSync(join(folder, 'a.rsp'), '@a.rsp');
    expect(() => read([{ directory: folder, command: 'hipcc @a.rsp', file: 'k.hip' }])).toThrow(/nest too deeply/);
  });

  it.each([
    ['no JSON', '[{'],
    ['an object', '{}'],
    ['an entry without a file', [{ directory: '/b', command: 'hipcc' }]],
    ['an entry without a command', [{ directory: '/b', file: 'k.hip' }]],
  ])('refuses %s with the file it came from', async (_case, content) => {
    const error = await failure(Promise.resolve().then(() => read(content)));
    expect(error.code).toBe('COMPILE_DATABASE_INVALID');
    expect(error.what).toContain(folder);
  });

  it('says how to get one where there is none', async () => {
    const error = await failure(Promise.resolve().then(() => readCompileDatabase(join(folder, 'none.json'))));
    expect(error.code).toBe('COMPILE_DATABASE_INVALID');
    expect(error.hint).toContain('CMAKE_EXPORT_COMPILE_COMMANDS');
  });
});
