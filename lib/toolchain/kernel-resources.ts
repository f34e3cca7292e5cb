import { z } from 'zod';
import { codeObjectTarget, kernelMetadata } from './code-object-kernels';
import { cubinResources } from './cubin';
import { kernelDescriptor } from './hsaco-code';
import { processorOf } from './target';
import { count } from '../support/count';

/** Registers and memory that the compiler gave a kernel. */
export interface KernelResources {
  /** `gfx90a`, `sm_90`. */
  processor: string;
  waveSize: number;
  /** Vector registers of a lane, accumulation registers included; registers of a thread on CUDA. */
  vectorRegisters: number;
  /** Null on CUDA, which has none of their own. */
  scalarRegisters: number | null;
  /** Registers that the compiler spilled to memory; null in a cubin, which does not tell. */
  spilled: { vector: number; scalar: number } | null;
  /** Bytes of private (local) memory of a lane; null if only the run knows, as with recursion. */
  privateBytes: number | null;
  /** Static LDS (shared memory) of a workgroup, in bytes. */
  staticShared: number;
  /** RDNA: whether a workgroup has both compute units of its workgroup processor. */
  isOnTwoUnits: boolean;
}

const metadataSchema = z.looseObject({
  '.wavefront_size': count,
  '.vgpr_count': count,
  '.sgpr_count': count,
  '.vgpr_spill_count': count.default(0),
  '.sgpr_spill_count': count.default(0),
  '.private_segment_fixed_size': count,
  '.group_segment_fixed_size': count,
  '.uses_dynamic_stack': z.boolean().default(false),
});

/** Offset of COMPUTE_PGM_RSRC1 in the descriptor, and its bit WGP_MODE (LLVM's AMDGPU user guide). */
const programResources = { at: 48, wgpMode: 1 << 29 };

/** Null if the bytes are no code object that tells the kernel's resources. */
export function kernelResources(bytes: Buffer, symbol: string): KernelResources | null {
  const target = codeObjectTarget(bytes);
  if (target === null) return null;
  if (target.startsWith('sm_')) return ofCubin(bytes, symbol, target);
  const parsed = metadataSchema.safeParse(kernelMetadata(bytes, symbol));
  const descriptor = kernelDescriptor(bytes, symbol);
  if (!parsed.success || descriptor === null) return null;
  const { data } = parsed;
  return {
    processor: processorOf(target),
    waveSize: data['.wavefront_size'],
    vectorRegisters: data['.vgpr_count'],
    scalarRegisters: data['.sgpr_count'],
    spilled: { vector: data['.vgpr_spill_count'], scalar: data['.sgpr_spill_count'] },
    privateBytes: data['.uses_dynamic_stack'] ? null : data['.private_segment_fixed_size'],
    staticShared: data['.group_segment_fixed_size'],
    isOnTwoUnits: (descriptor.readUInt32LE(programResources.at) & programResources.wgpMode) !== 0,
  };
}

function ofCubin(bytes: Buffer, symbol: string, target: string): KernelResources | null {
  const resources = cubinResources(bytes, symbol);
  return (
    resources && {
      processor: target,
      waveSize: 32,
      vectorRegisters: resources.registers,
      scalarRegisters: null,
      spilled: null,
      privateBytes: resources.stackBytes,
      staticShared: resources.sharedBytes,
      isOnTwoUnits: false,
    }
  );
}
