import type { Deps } from '../deps/deps';
import { describeCode } from './described-code';
import { processorOf } from './target';

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

/** Null if the bytes are no code object that has the kernel. */
export async function kernelResources(
  bytes: Buffer,
  symbol: string,
  deps: Pick<Deps, 'run' | 'native' | 'signal'>,
): Promise<KernelResources | null> {
  const described = await describeCode(bytes, deps);
  const kernel = described?.kernels.find((one) => one.symbol === symbol);
  if (!described || !kernel) return null;
  const { scalar_registers: scalarRegisters = null, vector_spills: vector, scalar_spills: scalar } = kernel;
  return {
    processor: described.target.startsWith('sm_') ? described.target : processorOf(described.target),
    waveSize: kernel.wavefront_size,
    vectorRegisters: kernel.vector_registers,
    scalarRegisters,
    spilled: vector === undefined || scalar === undefined ? null : { vector, scalar },
    privateBytes: kernel.uses_dynamic_stack ? null : kernel.private_segment_bytes,
    staticShared: kernel.group_segment_bytes,
    isOnTwoUnits: kernel.is_on_two_units ?? false,
  };
}
