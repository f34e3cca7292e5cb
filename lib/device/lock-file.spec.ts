import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile } from './lock-file';

describe('the lock of a device', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-lock-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is in a folder that everybody may use, whatever TMPDIR says', () => {
    chmodSync(folder, 0o755);
    expect(lockFile('a', [folder])).toBe('/tmp/kernloop-a.lock');
    chmodSync(folder, 0o1777);
    expect(lockFile('cuda-GPU:1/2', [join(folder, 'none'), folder])).toBe(join(folder, 'kernloop-cuda-GPU_1_2.lock'));
  });
});
