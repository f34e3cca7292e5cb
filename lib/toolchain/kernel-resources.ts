import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { count } from '../support/count';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';
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

/** Event of `kernloop-archive describe`. */
export const describedSchema = z.looseObject({
  event: z.literal('described'),
  target: z.string(),
  kernels: z.array(
    z.looseObject({
      symbol: z.string(),
      wavefront_size: count,
      vector_registers: count,
      private_segment_bytes: count,
      uses_dynamic_stack: z.boolean(),
      group_segment_bytes: count,
      scalar_registers: count.optional().describe('Of AMD, as all that follow.'),
      vector_spills: count.optional(),
      scalar_spills: count.optional(),
      is_on_two_units: z.boolean().optional(),
    }),
  ),
});

type Described = z.output<typeof describedSchema>;

/** Null if the bytes are no code object that has the kernel. */
export async function kernelResources(
  bytes: Buffer,
  symbol: string,
  deps: Pick<Deps, 'run' | 'native' | 'signal'>,
): Promise<KernelResources | null> {
  const described = await describe(bytes, deps);
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

async function describe(
  bytes: Buffer,
  { run, native, signal }: Pick<Deps, 'run' | 'native' | 'signal'>,
): Promise<Described | null> {
  let described: Described | undefined;
  const known = new Map([['described', describedSchema]]);
  const reader = new EventReader<Described>('kernloop-archive', known, (event) => (described = event));
  const input = { kind: 'stream' as const, open: () => Readable.from([bytes]) };
  const ended = await run(native.archive, ['describe'], { onStdoutLine: reader.push, input }).result;
  throwIfInterrupted(signal);
  if (reader.error?.code === 'CODE_OBJECT_INVALID') return null;
  reader.finish(ended);
  if (described === undefined)
    throw new KernloopError('NATIVE_FAILED', describeEnd('kernloop-archive describe', ended), rebuildHint);
  return described;
}
