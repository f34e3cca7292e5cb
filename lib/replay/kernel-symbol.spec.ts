import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import { failure } from '../testing/failure';
import { describeCode } from '../toolchain/described-code';
import { symbolIn } from './kernel-symbol';

/** Made by lib/toolchain/testing/two-units.sh: `(anonymous namespace)::scale` of a.cu and b.cu, static `alone`. */
const twoUnits = join(__dirname, '..', 'toolchain', 'testing', 'two-units.sm_90.cubin');

const symbolOf = async (captured: string): Promise<string> =>
  symbolIn(twoUnits, await describeCode(readFileSync(twoUnits), defaultDeps()), captured);

describe('symbolIn', () => {
  it('finds a static kernel that was compiled elsewhere, relocatable or not', async () => {
    const found = await symbolOf('_Z5alonePfi');
    expect(found).toMatch(/^__nv_static_.*__Z5alonePfi$/);
    expect(await symbolOf(found)).toBe(found);
    expect(await symbolOf('__nv_static_25__0badcafe_4_k_cu_12345678__Z5alonePfi')).toBe(found);
  });

  it('refuses to guess between kernels of two units', async () => {
    const error = await failure(symbolOf('_ZN36_GLOBAL__N__0badcafe_4_k_cu_123456785scaleEPf'));
    expect(error).toMatchObject({ code: 'SYMBOL_MISSING' });
    expect(error.what).toContain('2 kernels of that name');
  });

  it('leaves other names and other files to the replay', async () => {
    expect(await symbolOf('_Z5alonePfl')).toBe('_Z5alonePfl');
    expect(symbolIn('text', null, '_Z5alonePfi')).toBe('_Z5alonePfi');
  });
});
