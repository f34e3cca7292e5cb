import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import { describeCode } from './described-code';
import { lostVariable } from './hsaco-variables';

const data = join(__dirname, '../../native/codeobject/test/data');
const read = (name: string): Buffer => readFileSync(join(data, name));
const deps = defaultDeps();
const lost = (one: string, other: string): Promise<string | null> => lostVariable(read(one), read(other), deps);

describe('the variables of a code object', () => {
  it.each(['baseline', 'padded', 'lens', 'no_variables', 'allocates'])(
    'of %s.hsaco are those that llvm-readelf lists',
    async (name) => {
      const readelf = (option: string): string =>
        execFileSync('/usr/lib/llvm-15/bin/llvm-readelf', [option, '--wide', join(data, `${name}.hsaco`)], {
          encoding: 'utf8',
        });
      const sections = [...readelf('--sections').matchAll(/^ +\[ *(\d+)\] .* [0-9a-f]{2} +([A-Z]*) +\d+ +\d+ +\d+$/gm)];
      const writable = new Set(sections.filter(([, , flags = '']) => flags.includes('W')).map(([, index]) => index));
      const symbols = [...readelf('--symbols').matchAll(/^ +\d+: \w+ +(\d+) OBJECT +\w+ +\w+ +(\d+) (\S+)$/gm)];
      const expected = symbols
        .filter(([, size, section]) => size !== '0' && writable.has(section))
        .map(([, size, , symbol]) => `${symbol} ${size}`);
      const { variables = [] } = (await describeCode(read(`${name}.hsaco`), deps)) ?? {};
      const found = variables.filter((one) => one.is_writable).map((one) => `${one.name} ${one.bytes}`);
      expect(found).not.toEqual([]);
      expect(found.sort()).toEqual([...new Set(expected)].sort());
    },
  );

  it('are lost where another lacks one, or has it in another size', async () => {
    expect(await lost('baseline.hsaco', 'baseline.hsaco')).toBeNull();
    expect(await lost('baseline.hsaco', 'padded.hsaco')).toBeNull();
    expect(await lost('padded.hsaco', 'baseline.hsaco')).toBe('d_flag');
    expect(await lost('baseline.hsaco', 'no_variables.hsaco')).toBe('d_big');
  });

  it('are none in a cubin, which CUDA places by itself, and in what is no code object', async () => {
    const cubin = join('cubin', 'linked.sm_90.cubin');
    expect(await lost(cubin, 'no_variables.hsaco')).toBeNull();
    expect(await lost('compile.sh', 'no_variables.hsaco')).toBeNull();
  });
});
