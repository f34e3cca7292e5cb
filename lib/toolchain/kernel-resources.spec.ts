import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import { kernelResources } from './kernel-resources';

const data = join(__dirname, '../../native/codeobject/test/data');
const cubin = (name: string): Buffer => readFileSync(join(data, 'cubin', name));
const deps = defaultDeps();

describe('the resources of a kernel', () => {
  // ptxas -v is the oracle: the native tests hold the same figures (AreWhatPtxasSaid).
  it.each([
    ['resources.sm_75.cubin', '_Z6sharedPf', 14, 48, 0],
    ['resources.sm_90.cubin', '_Z6sharedPf', 16, 48, 0],
    ['resources.sm_90.cubin', '_Z12only_dynamicPf', 12, 0, 0],
    ['resources.sm_90.cubin', '_Z5localPii', 31, 0, 400],
    ['resources.sm_100.cubin', '_Z7clusterPi', 12, 16, 0],
  ])('of %s, %s, are what ptxas said', async (file, symbol, registers, shared, local) => {
    expect(await kernelResources(cubin(file), symbol, deps)).toEqual({
      processor: /sm_\d+/.exec(file)?.[0],
      waveSize: 32,
      vectorRegisters: registers,
      scalarRegisters: null,
      spilled: null,
      privateBytes: local,
      staticShared: shared,
      isOnTwoUnits: false,
    });
  });

  it('are unknown for a kernel that the code object lacks, and for what is none', async () => {
    expect(await kernelResources(cubin('resources.sm_90.cubin'), 'none', deps)).toBeNull();
    expect(await kernelResources(cubin('tiny.ptx'), '_Z6sharedPf', deps)).toBeNull();
  });

  it.each(['baseline', 'static_lds', 'prints', 'allocates'])(
    'of %s.hsaco are what llvm-readelf reads',
    async (name) => {
      const file = join(data, `${name}.hsaco`);
      const notes = execFileSync('/usr/lib/llvm-15/bin/llvm-readelf', ['--notes', file], { encoding: 'utf8' });
      const kernels = notes.split(/^ {2}- (?=\.a)/m).slice(1);
      expect(kernels.length).toBeGreaterThan(0);
      for (const kernel of kernels) {
        const text = (key: string): string => new RegExp(`^ {4}\\.${key}: +(.*)$`, 'm').exec(kernel)?.[1] ?? '';
        expect(await kernelResources(readFileSync(file), text('name'), deps)).toEqual({
          processor: 'gfx90a',
          waveSize: Number(text('wavefront_size')),
          vectorRegisters: Number(text('vgpr_count')),
          scalarRegisters: Number(text('sgpr_count')),
          spilled: { vector: Number(text('vgpr_spill_count')), scalar: Number(text('sgpr_spill_count')) },
          privateBytes: text('uses_dynamic_stack') === 'true' ? null : Number(text('private_segment_fixed_size')),
          staticShared: Number(text('group_segment_fixed_size')),
          isOnTwoUnits: false,
        });
      }
    },
  );

  it('of AMD, are what the assembler was told', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-resources-'));
    try {
      const wide = assembled(folder, 'gfx90a', { vgprs: 96, accumulation: 40, spills: 3 });
      expect(await kernelResources(wide, 'k', deps)).toMatchObject({
        processor: 'gfx90a',
        waveSize: 64,
        vectorRegisters: 96,
        scalarRegisters: 20,
        spilled: { vector: 3, scalar: 0 },
        privateBytes: 16,
        staticShared: 4096,
        isOnTwoUnits: false,
      });
      const onOne = assembled(folder, 'gfx1030', { vgprs: 40, directive: '.amdhsa_workgroup_processor_mode 0' });
      const onTwo = assembled(folder, 'gfx1030', { vgprs: 40, directive: '.amdhsa_workgroup_processor_mode 1' });
      expect(await kernelResources(onOne, 'k', deps)).toMatchObject({ waveSize: 32, isOnTwoUnits: false });
      expect(await kernelResources(onTwo, 'k', deps)).toMatchObject({ waveSize: 32, isOnTwoUnits: true });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Wanted {
  vgprs: number;
  accumulation?: number;
  spills?: number;
  directive?: string;
}

function assembled(
  folder: string,
  processor: string,
  { vgprs, accumulation = 0, spills = 0, directive = '' }: Wanted,
): Buffer {
  const [source, object, linked] = ['k.s', 'k.o', 'k.hsaco'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    source,
    `.amdgcn_target "amdgcn-amd-amdhsa--${processor}"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr ${vgprs}
  .amdhsa_next_free_sgpr 16
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_private_segment_fixed_size 16
  ${accumulation > 0 ? `.amdhsa_accum_offset ${vgprs - accumulation}` : ''}
  ${directive}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--${processor}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 16
    .wavefront_size: ${processor === 'gfx90a' ? 64 : 32}
    .sgpr_count: 20
    .vgpr_count: ${vgprs}
    .vgpr_spill_count: ${spills}
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
`,
  );
  execFileSync('/usr/lib/llvm-15/bin/clang', [
    '-target',
    'amdgcn-amd-amdhsa',
    `-mcpu=${processor}`,
    '-c',
    source,
    '-o',
    object,
  ]);
  execFileSync('/usr/lib/llvm-15/bin/ld.lld', ['-shared', object, '-o', linked]);
  return readFileSync(linked);
}
