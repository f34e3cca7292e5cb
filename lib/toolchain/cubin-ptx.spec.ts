import { rewritePtx } from '../probe/ptx/rewrite';
import { assemble, shapes, shipped } from '../probe/ptx/testing/shapes';
import { defaultDeps } from '../deps/deps';
import { cubinPtx } from './described-code';
import { kernelResources } from './kernel-resources';

describe('a cubin', () => {
  const { cubin, said } = assemble(shapes, '-lineinfo');

  it('tells the registers of each kernel as ptxas does', async () => {
    const told = [...said.matchAll(/Compiling entry function '(\w+)'[^]*?Used (\d+) registers/g)];
    expect(told).toHaveLength(4);
    for (const [, name = '', registers] of told)
      expect(await kernelResources(cubin, name, defaultDeps())).toMatchObject({ vectorRegisters: Number(registers) });
    expect(await kernelResources(cubin, 'none', defaultDeps())).toBeNull();
  });

  it('with line information keeps the PTX that it was made from, which can be probed and assembled', async () => {
    const kept = (await cubinPtx(cubin, defaultDeps())) ?? '';
    for (const part of ['.visible .entry shapes(', 'call.uni (retval0),', 'ld.global.v4.f32', '$L__ld_global_loop:'])
      expect(kept).toContain(part);
    const { ptx, sites } = rewritePtx(kept, 'calls', shipped('dmat'));
    expect(sites).toEqual(rewritePtx(shapes, 'calls', shipped('dmat')).sites);
    expect(assemble(ptx).said).toContain("Compiling entry function 'calls'");
  });

  it('without it keeps none', async () => {
    const bare = '.version 8.0 .target sm_90a .address_size 64 .entry k() { ret; }';
    expect(await cubinPtx(assemble(bare).cubin, defaultDeps())).toBeNull();
  });
});
