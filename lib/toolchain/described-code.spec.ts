import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import { describeCode } from './described-code';

const data = join(__dirname, '../../native/codeobject/test/data');
const read = (name: string): Buffer => readFileSync(join(data, name));

describe('the facts of a code object', () => {
  // Results on disk hold these digests, which the TypeScript reader of earlier versions computed.
  it.each([
    ['baseline.hsaco', 'sum', '06ff443f4a609405cc95b92a9ce7551a78a28d78c3fa1f800906b00daca20214'],
    ['allocates.hsaco', '_Z5scaleIfEvPT_S0_', 'ae3f0501c67108a17dd3d6e5223225f5be5d0dd6ec1a1e3ac56237f20a76420c'],
    ['prints.hsaco', '_Z3ldsPf4Pair', 'edd048d9e8f7bf398ac8715ed855df01ce7cf4fd3d60bff53fe8d3716d053ade'],
    ['baseline.hsaco', 'fill', undefined],
  ])('of %s hold the digest that results have of %s', async (file, symbol, digest) => {
    const described = await describeCode(read(file), defaultDeps());
    expect(described?.kernels.find((kernel) => kernel.symbol === symbol)?.code_sha256).toBe(digest);
  });

  it('are asked for once, also by two at a time', async () => {
    const deps = defaultDeps();
    const started: string[] = [];
    const counted: typeof deps = {
      ...deps,
      native: deps.native,
      run: (file, args, options) => {
        started.push(args.join(' '));
        return deps.run(file, args, options);
      },
    };
    const facts = await Promise.all([1, 2].map(() => describeCode(read('lens.hsaco'), counted)));
    expect(await describeCode(read('lens.hsaco'), counted)).toBe(facts[0]);
    expect(started).toEqual(['describe']);
  });

  it('are asked for again after an interruption', async () => {
    const deps = defaultDeps();
    const interrupted = describeCode(read('lens.hsaco'), { ...deps, native: deps.native, signal: AbortSignal.abort() });
    const waiting = describeCode(read('lens.hsaco'), deps);
    await expect(interrupted).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect((await waiting)?.target).toContain('gfx');
    expect((await describeCode(read('lens.hsaco'), deps))?.target).toContain('gfx');
  });

  it('are none for what is no code object, or damaged', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('no ELF'), read('baseline.hsaco').subarray(0, 900)])
      expect(await describeCode(bytes, defaultDeps())).toBeNull();
  });
});
