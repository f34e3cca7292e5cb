import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { neededLibraries } from './needed-libraries';
import { dynamicProgram } from './testing/dynamic-program';

describe('the libraries that a program needs', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-needed-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (path: string, content: string | Buffer = 'library'): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    return join(folder, path);
  };

  it('are those that the program which runs this has, of which the linker has found each', () => {
    const found = neededLibraries(process.execPath, /^libc\.so/, {});
    expect(found).toEqual([expect.stringMatching(/^\/.*\/libc\.so\.6$/)]);
  });

  it('are found beside the program, behind a link to it, and in folders that a variable names', () => {
    const program = write(
      'llvm/bin/clang',
      dynamicProgram(['libA.so.1', 'libB.so', 'libC.so'], { runpath: '$ORIGIN/../lib' }),
    );
    const [a, b] = [write('llvm/lib/libA.so.1'), write('named/libB.so')];
    mkdirSync(join(folder, 'bin'));
    symlinkSync(program, join(folder, 'bin/clang'));
    const named = { LD_LIBRARY_PATH: join(folder, 'named') };
    for (const path of [program, join(folder, 'bin/clang')]) {
      expect(neededLibraries(path, /^lib[AB]/, named)).toEqual([a, b]);
      expect(neededLibraries(path, /^libA/, {})).toEqual([a]);
    }
    // Order of ld.so: before RUNPATH, after RPATH, which is ignored if there is a RUNPATH.
    const first = write('named/libA.so.1');
    expect(neededLibraries(program, /^libA/, named)).toEqual([first]);
    const older = write('llvm/bin/older', dynamicProgram(['libA.so.1'], { rpath: '${ORIGIN}/../lib' }));
    expect(neededLibraries(older, /^libA/, named)).toEqual([a]);
    const both = write(
      'llvm/bin/both',
      dynamicProgram(['libA.so.1'], { rpath: join(folder, 'named'), runpath: '$ORIGIN/../lib' }),
    );
    expect(neededLibraries(both, /^libA/, {})).toEqual([a]);
  });

  it('are none of a script, an empty file, and of a program that is cut anywhere', () => {
    for (const text of ['', '#!/bin/sh\n']) expect(neededLibraries(write('script', text), /./, {})).toEqual([]);
    const whole = dynamicProgram(['libA.so.1'], { runpath: folder });
    write('libA.so.1');
    for (let bytes = 0; bytes < whole.length; bytes += 1) {
      const found = neededLibraries(write('cut', whole.subarray(0, bytes)), /./, {});
      expect(found.every((path) => path === join(folder, 'libA.so.1'))).toBe(true);
    }
    expect(neededLibraries(write('whole', whole), /./, {})).toEqual([join(folder, 'libA.so.1')]);
  });
});
