import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256OfFile } from './files';

describe('the digest of a file', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-digest-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const mebibyte = 1 << 20;
  it.each([0, 1, 4095, 4096, 4097, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte])(
    'is that of all its %i bytes',
    (size) => {
      const bytes = Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 31) >> 5));
      const path = join(folder, 'file');
      writeFileSync(path, bytes);
      expect(sha256OfFile(path)).toBe(createHash('sha256').update(bytes).digest('hex'));
    },
  );

  it('is that of what is read, where the file system says that there is nothing', () => {
    const path = '/proc/filesystems';
    expect(sha256OfFile(path)).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
  });
});
