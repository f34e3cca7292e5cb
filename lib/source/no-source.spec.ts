import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256OfFile } from '../support/files';
import { explainNoSource, type NoSourceQuery } from './no-source';
import { SearchTrail } from './search-trail';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-trail-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function query(change: Partial<NoSourceQuery>): NoSourceQuery {
  const trail = new SearchTrail();
  trail.units = 3;
  return {
    symbol: '_Z1kPf',
    demangled: 'k(float*)',
    codeObject: '0'.repeat(64),
    debugFiles: [],
    unreadable: null,
    environment: { HOME: folder },
    own: ['/work/app'],
    isSystem: (path) => path.startsWith('/opt/') || path.startsWith('/usr/'),
    trail,
    ...change,
  };
}

describe('explainNoSource', () => {
  it('gives the paths where the line table names files outside the app, without those of the toolchain', () => {
    const debugFiles = ['/opt/rocm/include/hip/a.h', '/src/lib/detail.h', '/src/lib/kernels.hip', '/work/app/inc/x.h'];
    const found = explainNoSource(query({ debugFiles }));
    expect(found).toMatchObject({ code: 'SOURCE_ELSEWHERE', files: ['/src/lib/kernels.hip', '/src/lib/detail.h'] });
    expect(found.reason).toContain('3 translation units');
    expect(found.hint).toContain('compileCommands');
  });

  it('does not send the user elsewhere for a header from elsewhere that a unit of the app includes', () => {
    const debugFiles = ['/work/app/k.hip', '/home/u/common/math.h'];
    expect(explainNoSource(query({ debugFiles }))).toMatchObject({
      code: 'SOURCE_NOT_BUILT',
      files: ['/work/app/k.hip'],
    });
  });

  it('advises to record the options of the build where there is no compile database, and names none', () => {
    const { trail, ...rest } = query({ debugFiles: ['/work/app/k.hip'] });
    trail.hasDatabase = false;
    const found = explainNoSource({ ...rest, trail });
    expect(found.code).toBe('SOURCE_NOT_BUILT');
    expect(found.reason).not.toContain('database says');
    expect(found.hint).toContain('kernloop watch-build');
    expect(explainNoSource({ ...rest, trail, debugFiles: [] }).hint).toContain('kernloop watch-build');
  });

  it('does not take /work/app2 for a part of /work/app', () => {
    expect(explainNoSource(query({ debugFiles: ['/work/app2/k.hip'] })).code).toBe('SOURCE_ELSEWHERE');
  });

  it.each([
    ['Cijk_Ailk_Bljk_SB_MT128x64x16_SN_1LDSB0_APM1', 'Tensile'],
    ['Custom_Cijk_Alik_Bljk_HHS_BH_MT64x64', 'Tensile'],
    ['__amd_rocclr_fillBufferAligned', 'HIP runtime'],
    ['ampere_sgemm_128x64_nn', 'cuBLAS'],
    ['sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64', 'cuBLAS'],
    ['nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT', 'cuBLAS'],
    ['_ZN12rocrand_impl4host20generate_kernelILj0EEEvPj', 'rocRAND'],
    ['fft_rtc_fwd_len64_factors_8_8_wgs_64', 'run time'],
  ])('knows where %s comes from', (symbol, what) => {
    const demangled = symbol.startsWith('_ZN12rocrand')
      ? 'void rocrand_impl::host::generate_kernel<0u>(unsigned*)'
      : symbol;
    const found = explainNoSource(query({ symbol, demangled }));
    expect(found.code).toBe('SOURCE_NO_TRAIL');
    expect(found.reason).toContain(what);
  });

  it.each(['reflash_kernel', 'MyCijk_like', 'ncc_l', 'loop', 'hopper_jump', 'sm_reduce'])(
    'takes %s for no library kernel',
    (symbol) => {
      const found = explainNoSource(query({ symbol, demangled: symbol }));
      expect(found.code).toBe('SOURCE_NO_TRAIL');
      expect(found.reason).toContain('not mangled');
    },
  );

  it('says where a header of the toolchain defines the kernel', () => {
    const { trail, ...rest } = query({});
    trail.define({ file: '/opt/rocm/include/rocprim/scan.hpp', line: 12, unit: '/work/app/a.hip' });
    expect(explainNoSource({ ...rest, trail })).toMatchObject({
      code: 'SOURCE_ELSEWHERE',
      reason: expect.stringContaining('/opt/rocm/include/rocprim/scan.hpp:12') as string,
    });
  });

  it('says where nothing was found to go on, and why the code could not be looked into', () => {
    expect(explainNoSource(query({}))).toMatchObject({
      code: 'SOURCE_NO_TRAIL',
      hint: expect.stringContaining('-gline-tables-only') as string,
    });
    expect(explainNoSource(query({ unreadable: 'chunk missing' })).reason).toContain('chunk missing');
  });
});

describe('a Triton kernel', () => {
  const codeOf = (change: Partial<NoSourceQuery>): string => explainNoSource(query(change)).code;

  it.each(['triton_poi_fused_add_0', 'triton_red_fused_native_layer_norm_3', 'add_kernel_0d1d2d3de', 'mm_0d1d2c3'])(
    'is told by the name %s',
    (symbol) => {
      expect(codeOf({ symbol, demangled: symbol })).toBe('SOURCE_TRITON');
    },
  );

  // These are extern "C" kernels of HIP: an unmangled name proves nothing.
  it.each(['add_kernel', 'conv_3d', 'fft_2d', 'step_0d', 'tritone'])('is not told by the name %s', (symbol) => {
    expect(codeOf({ symbol, demangled: symbol })).not.toBe('SOURCE_TRITON');
  });

  it('is told by the Python files of its line table', () => {
    expect(explainNoSource(query({ symbol: 'add_kernel', debugFiles: ['/app/kernels.py'] }))).toMatchObject({
      code: 'SOURCE_TRITON',
      files: ['/app/kernels.py'],
    });
  });

  it('is told by its code in the cache of Triton, not by a name there alone', () => {
    const entry = join(folder, '.triton', 'cache', 'ABCDEF');
    mkdirSync(entry, { recursive: true });
    writeFileSync(join(entry, 'add_kernel.hsaco'), 'code');
    writeFileSync(join(entry, 'add_kernel.ttir'), '#loc1 = loc("/app/add.py":12:0)\n#loc2 = loc("/app/add.py":13:4)\n');
    const codeObject = sha256OfFile(join(entry, 'add_kernel.hsaco'));
    expect(explainNoSource(query({ symbol: 'add_kernel', codeObject }))).toMatchObject({
      code: 'SOURCE_TRITON',
      files: ['/app/add.py'],
    });
    expect(codeOf({ symbol: 'add_kernel' })).toBe('SOURCE_NO_TRAIL');
  });
});
