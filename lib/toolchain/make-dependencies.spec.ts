import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMakeDependencies } from './make-dependencies';

describe('parseMakeDependencies', () => {
  it('reads continuations and leaves the target out', () => {
    expect(parseMakeDependencies('k.o: k.hip \\\n  a.h b.h \\\n  /usr/include/c.h\n')).toEqual([
      'k.hip',
      'a.h',
      'b.h',
      '/usr/include/c.h',
    ]);
  });

  it('leaves out the empty rules that -MP adds', () => {
    expect(parseMakeDependencies('k.o: k.hip a.h\n\na.h:\n')).toEqual(['k.hip', 'a.h']);
  });

  it('reads back the file names that a compiler escapes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-make-'));
    try {
      const names = ['with space.h', 'dollar$.h', 'hash#.h', 'back\\slash.h'];
      mkdirSync(join(folder, 'a b'));
      names.forEach((name) => writeFileSync(join(folder, 'a b', name), ''));
      writeFileSync(join(folder, 'k.cpp'), names.map((name) => `#include "a b/${name}"\n`).join(''));
      const text = execFileSync('g++', ['-M', 'k.cpp'], { cwd: folder, encoding: 'utf8' });
      const read = parseMakeDependencies(text);
      expect(read.slice(-4)).toEqual(names.map((name) => `a b/${name}`));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
