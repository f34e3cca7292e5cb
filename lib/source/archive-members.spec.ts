import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveMembers } from './archive-members';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const names = ['a.o', 'with a name that no header has room for.o', 'odd.o'];

/** Archives the files with GNU ar. */
function archive(kind: string): string {
  names.forEach((name, index) => writeFileSync(join(folder, name), 'x'.repeat(index + 3)));
  execFileSync('ar', [kind, 'lib.a', ...names], { cwd: folder, stdio: 'pipe' });
  return join(folder, 'lib.a');
}

const contents = (path: string) =>
  archiveMembers(path)?.map(({ name, file, offset, size }) => [
    name,
    readFileSync(file)
      .subarray(offset, offset + size)
      .toString(),
  ]);
const expected = names.map((name, index) => [name, 'x'.repeat(index + 3)]);

describe('the members of an archive', () => {
  it.each(['rc', 'rcT'])('are found in one that ar wrote (%s)', (kind) => {
    expect(contents(archive(kind))).toEqual(expected);
  });

  it('are those that are left where files of a thin one are gone', () => {
    const path = archive('rcT');
    rmSync(join(folder, 'a.o'));
    expect(contents(path)).toEqual(expected.slice(1));
  });

  it('are found under names as BSD and macOS write them', () => {
    const header = (name: string, size: number): string =>
      `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'644'.padEnd(8)}${String(size).padEnd(10)}\`\n`;
    const path = join(folder, 'bsd.a');
    writeFileSync(path, `!<arch>\n${header('#1/8', 11)}long.o\0\0xyz\n${header('s.o', 2)}ab`);
    expect(contents(path)).toEqual([
      ['long.o', 'xyz'],
      ['s.o', 'ab'],
    ]);
  });

  it('are none in another file', () => {
    const path = join(folder, 'x');
    for (const text of ['', '!<arch', '\x7fELF and more'])
      expect([writeFileSync(path, text), archiveMembers(path)][1]).toBeNull();
  });

  it('end where the archive is damaged, whatever was done to it', () => {
    const path = archive('rc');
    const sound = readFileSync(path);
    const known = new Set(expected.map(([, text]) => text));
    for (let cut = 0; cut < sound.length; cut += 7) {
      writeFileSync(path, sound.subarray(0, cut));
      for (const [, text] of contents(path) ?? []) expect(known).toContain(text);
    }
    let seed = 1;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 2000; round += 1) {
      const bytes = Buffer.from(sound);
      for (let change = 0; change < 3; change += 1) bytes[random(bytes.length)] = random(256);
      writeFileSync(path, bytes);
      for (const { offset, size } of archiveMembers(path) ?? [])
        expect(offset + size).toBeLessThanOrEqual(bytes.length);
    }
  });

  it('are bounded: sizes beyond the file, and a name beyond the table', () => {
    const path = archive('rc');
    const sound = readFileSync(path, 'latin1');
    writeFileSync(path, sound.replace(/3 {9}`/, '9999999999`'), 'latin1');
    expect(contents(path)).toEqual([]);
    writeFileSync(path, sound.replace('/0   ', '/9999'), 'latin1');
    expect(contents(path)).toEqual(expected.slice(0, 1));
  });
});
