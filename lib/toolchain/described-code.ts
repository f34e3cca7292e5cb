import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { count } from '../support/count';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';

/** Event of `kernloop-archive describe`: the contents of one code object (AMD's or a cubin). */
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
  variables: z
    .array(z.looseObject({ name: z.string(), bytes: count, is_writable: z.boolean() }))
    .describe('Module variables, static ones included.'),
});

type Described = z.output<typeof describedSchema>;

/** Null if the bytes are no code object. */
export async function describeCode(
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

/** Target of a code object: `amdgcn-amd-amdhsa--gfx90a`, `sm_90a`; null if it names none or is no code object. */
export const codeObjectTarget = async (
  bytes: Buffer,
  deps: Parameters<typeof describeCode>[1],
): Promise<string | null> => (await describeCode(bytes, deps))?.target || null;
