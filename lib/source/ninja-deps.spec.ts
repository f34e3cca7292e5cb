import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNinjaDeps } from './ninja-deps';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-ninja-'));
  writeFileSync(
    join(folder, 'build.ninja'),
    'rule cc\n  command = printf "$out: $in h.h $more\\n" > $out.d && touch $out\n  depfile = $out.d\n  deps = gcc\n' +
      'build a.o: cc a.c\nbuild b.o: cc b.c\n  more = other.h\n',
  );
  for (const name of ['a.c', 'b.c', 'h.h', 'other.h']) writeFileSync(join(folder, name), '');
  execFileSync('ninja', ['-C', folder], { stdio: 'pipe' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const log = (): Buffer => readFileSync(join(folder, '.ninja_deps'));

describe('what ninja wrote down of dependencies', () => {
  it('is read as ninja wrote it', () => {
    const found = readNinjaDeps(log());
    expect(found?.get('a.o')?.inputs).toEqual(['a.c', 'h.h']);
    expect(found?.get('b.o')?.inputs).toEqual(['b.c', 'h.h', 'other.h']);
    expect(Math.abs(Date.now() - (found?.get('a.o')?.mtimeMs ?? 0))).toBeLessThan(3_600_000);
  });

  it('is the later record of an output', () => {
    writeFileSync(join(folder, 'b.c'), '\n');
    const script = readFileSync(join(folder, 'build.ninja'), 'utf8');
    writeFileSync(join(folder, 'build.ninja'), script.replace('more = other.h', 'more ='));
    execFileSync('ninja', ['-C', folder], { stdio: 'pipe' });
    expect(readNinjaDeps(log())?.get('b.o')?.inputs).toEqual(['b.c', 'h.h']);
  });

  it('is what is whole of a log that was cut, and nothing that was made up of one that was changed', () => {
    const sound = log();
    const known = ['a.c', 'b.c', 'h.h', 'other.h'];
    for (let end = 0; end < sound.length; end += 1)
      for (const { inputs } of readNinjaDeps(sound.subarray(0, end))?.values() ?? [])
        expect(known).toEqual(expect.arrayContaining(inputs));
    for (let at = 0; at < sound.length; at += 1) {
      const bytes = Buffer.from(sound);
      bytes[at] = 0xff;
      expect(() => readNinjaDeps(bytes)).not.toThrow();
    }
  });

  it('is null for another file, and for another version', () => {
    const other = log();
    other.writeUInt32LE(3, 12);
    for (const bytes of [Buffer.alloc(0), Buffer.from('# ninjadeps\n'), other]) expect(readNinjaDeps(bytes)).toBeNull();
  });
});
