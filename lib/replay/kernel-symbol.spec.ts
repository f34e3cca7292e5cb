import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrown } from '../testing/failure';
import { symbolIn } from './kernel-symbol';

/** Made by lib/toolchain/testing/two-units.sh: `(anonymous namespace)::scale` of a.cu and b.cu, static `alone`. */
const twoUnits = join(__dirname, '..', 'toolchain', 'testing', 'two-units.sm_90.cubin');

describe('symbolIn', () => {
  it('finds a static kernel that was compiled elsewhere, relocatable or not', () => {
    const found = symbolIn(twoUnits, '_Z5alonePfi');
    expect(found).toMatch(/^__nv_static_.*__Z5alonePfi$/);
    expect(symbolIn(twoUnits, found)).toBe(found);
    expect(symbolIn(twoUnits, '__nv_static_25__0badcafe_4_k_cu_12345678__Z5alonePfi')).toBe(found);
  });

  it('refuses to guess between kernels of two units', () => {
    const error = thrown(() => symbolIn(twoUnits, '_ZN36_GLOBAL__N__0badcafe_4_k_cu_123456785scaleEPf'));
    expect(error).toMatchObject({ code: 'SYMBOL_MISSING' });
    expect(error.what).toContain('2 kernels of that name');
  });

  it('leaves other names and other files to the replay', () => {
    expect(symbolIn(twoUnits, '_Z5alonePfl')).toBe('_Z5alonePfl');
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-symbol-'));
    try {
      writeFileSync(join(folder, 'text'), 'no code object');
      expect(symbolIn(join(folder, 'text'), '_Z5alonePfi')).toBe('_Z5alonePfi');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
