import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Deps } from '../deps/deps';
import type { NativePaths } from '../native/native-paths';
import { count } from '../support/count';
import { KernloopError } from '../support/error';
import { sha256 } from '../support/files';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';
import type { ArgumentPlace } from './kernel-signature';

const sha256Text = z.string();
const rangeSchema = z.object({ begin: count, end: count });

/** Event of `kernloop-archive describe` for each kernel of a code object (AMD's or a cubin). */
export const describedKernelSchema = z.looseObject({
  event: z.literal('described_kernel'),
  symbol: z.string(),
  args: z
    .array(
      z.looseObject({
        ...{ offset: count, size: count, kind: z.string() },
        ...{ name: z.string().optional(), address_space: z.string().optional() },
      }),
    )
    .describe('By place; `kind` is the value_kind of the metadata, `by_value` in a cubin.'),
  wavefront_size: count,
  vector_registers: count,
  private_segment_bytes: count,
  uses_dynamic_stack: z.boolean(),
  group_segment_bytes: count,
  scalar_registers: count.optional().describe('Of AMD, as all that follow.'),
  vector_spills: count.optional(),
  scalar_spills: count.optional(),
  is_on_two_units: z.boolean().optional(),
  code: rangeSchema.optional().describe('Addresses of its instructions.'),
  code_sha256: sha256Text
    .optional()
    .describe('Of descriptor, instructions and metadata; missing if the code may call or read what is elsewhere.'),
});

/** Last event of `kernloop-archive describe`. */
export const describedSchema = z.looseObject({
  event: z.literal('described'),
  target: z.string(),
  variables: z
    .array(z.looseObject({ name: z.string(), bytes: count, is_writable: z.boolean() }))
    .describe('Module variables, static ones included.'),
  amd: z
    .looseObject({
      version: count.describe('Of the code object: 3 to 6.'),
      text_sha256: sha256Text.describe('Of the instructions.'),
      loaded_sha256: sha256Text.optional().describe('Of what is loaded or describes a launch.'),
      without_unit_name_sha256: sha256Text.optional().describe("The same without the name of clang's variable."),
      device_heap: z.array(rangeSchema).describe("Functions of ROCm's device library for new and malloc."),
    })
    .optional()
    .describe('Missing for a cubin.'),
  functions: z
    .array(z.looseObject({ name: z.string(), code_sha256: sha256Text }))
    .optional()
    .describe('Of a cubin, its kernels included.'),
  ptx: z.string().optional().describe('With --ptx, if the cubin keeps it.'),
});

type DescribedKernel = z.output<typeof describedKernelSchema>;
type DescribedEvent = z.output<typeof describedSchema>;

type Contents = DescribedEvent & { readonly kernels: readonly DescribedKernel[] };

/** Contents of one code object, and the digest of all of its bytes. */
export type Described = Contents & { readonly sha256: string };

/** Null if the bytes are no code object. */
export async function describeCode(bytes: Buffer, deps: DescribeDeps): Promise<Described | null> {
  const digest = sha256(bytes);
  const known = describedBy.get(deps.native) ?? new Map<string, Promise<Described | null>>();
  describedBy.set(deps.native, known);
  const before = known.get(digest);
  const ask = async (): Promise<Described | null> => {
    const facts = await describe(bytes, [], deps);
    return facts && { ...facts, sha256: digest };
  };
  // It may have been interrupted for the other command alone.
  if (before !== undefined) return before.catch(ask);
  const described = ask();
  known.set(digest, described);
  described.catch(() => known.delete(digest));
  for (const oldest of [...known.keys()].slice(0, -mostKept)) known.delete(oldest);
  return described;
}

export type DescribeDeps = Pick<Deps, 'run' | 'native' | 'signal'>;

/** By program and digest: starting it takes some 5 ms, and several parts of a command ask for the same code. */
const describedBy = new WeakMap<NativePaths, Map<string, Promise<Described | null>>>();
const mostKept = 16;

async function describe(
  bytes: Buffer,
  options: readonly string[],
  { run, native, signal }: DescribeDeps,
): Promise<Contents | null> {
  const kernels: DescribedKernel[] = [];
  let described: DescribedEvent | undefined;
  const known = new Map<string, z.ZodType<DescribedKernel | DescribedEvent>>([
    ['described_kernel', describedKernelSchema],
    ['described', describedSchema],
  ]);
  const reader = new EventReader<DescribedKernel | DescribedEvent>('kernloop-archive', known, (event) => {
    if (event.event === 'described') described = event;
    else kernels.push(event);
  });
  const input = { kind: 'stream' as const, open: () => Readable.from([bytes]) };
  const ended = await run(native.archive, ['describe', ...options], { onStdoutLine: reader.push, input }).result;
  throwIfInterrupted(signal);
  if (reader.error?.code === 'CODE_OBJECT_INVALID') return null;
  reader.finish(ended);
  if (described === undefined)
    throw new KernloopError('NATIVE_FAILED', describeEnd('kernloop-archive describe', ended), rebuildHint);
  return { ...described, kernels };
}

/** Places of the arguments that the source declares: the compiler appends others (`hidden_*`). */
export const explicitArguments = ({ args }: Pick<DescribedKernel, 'args'>): ArgumentPlace[] =>
  args.filter(({ kind }) => !kind.startsWith('hidden_')).map(({ offset, size }) => ({ offset, size }));

/** Target of a code object: `amdgcn-amd-amdhsa--gfx90a`, `sm_90a`; null if it names none or is no code object. */
export const codeObjectTarget = async (bytes: Buffer, deps: DescribeDeps): Promise<string | null> =>
  (await describeCode(bytes, deps))?.target || null;

/** PTX that a cubin was assembled from, without comments and debug information; kept with -lineinfo, as by Triton. */
export const cubinPtx = async (bytes: Buffer, deps: DescribeDeps): Promise<string | null> =>
  (await describe(bytes, ['--ptx'], deps))?.ptx ?? null;
