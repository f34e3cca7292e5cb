import { z } from 'zod';
import { overwrittenSchema, rereadSchema } from '../archive/overwritten';
import { conditionsSchema } from './conditions';
import { keptStateSchema } from './kept-state';
import { ranOnSchema } from './ran-on';
import { varyingSchema } from '../archive/varying';
import { count } from '../support/count';

/** Events of kernloop-replay (schemas/native-events.ts). Unknown fields are kept. */
export const differenceSchema = z.looseObject({
  event: z.literal('difference'),
  region: z.string().optional(),
  variable: z.string().optional(),
  padding: z.union([z.string(), z.boolean()]).optional(),
  offset: count,
  bytes: count.optional(),
  first_expected: z.string().optional(),
  first_actual: z.string().optional(),
  lead: z.string().optional().describe('The equal bytes before it, from the last multiple of 8 on.'),
  differing_bytes: count,
});

/** A number, or "NaN", "Infinity", "-Infinity"; integers beyond 2^53 are strings too. */
const elementValue = z.union([z.number(), z.string()]);

/** Values at an offset of the region or variable. */
const exampleSchema = z.looseObject({ offset: count, expected: elementValue, actual: elementValue });

const specialCountSchema = z.looseObject({
  expected_only: count.describe('What the app computed has one, the replay has not.'),
  actual_only: count,
  both: count,
  other: count.describe('Both have one, but of opposite sign.'),
});

/** Comparison of elements of one type; errors cover only finite pairs, so no maximum is a NaN or hides one. */
export const toleranceSchema = z.looseObject({
  event: z.literal('tolerance'),
  region: z.string().optional(),
  variable: z.string().optional(),
  offset: count,
  bytes: count,
  dtype: z.string(),
  exact: z.boolean().default(false),
  atol: z.number().nonnegative(),
  rtol: z.number().nonnegative(),
  ulp: count,
  elements: count,
  equal: count.describe('Bit for bit.'),
  within: count.describe('Not equal, but within the tolerance.'),
  outside: count,
  excused: count.default(0).describe('Of outside: let pass by the matched ratio.'),
  refused: count.default(0).describe('Of outside: equal, but NaN or infinite where a policy allows neither.'),
  not_finite: count.describe('Of outside: NaN or an infinity in place of a number, or the other way round.'),
  nan: specialCountSchema.optional().describe('Floating types.'),
  inf: specialCountSchema.optional().describe('Floating types.'),
  // Null if JSON cannot represent the value.
  max_abs_error: z.number().nonnegative().nullish(),
  max_rel_error: z.number().nonnegative().nullish(),
  max_ulp_error: z.number().nonnegative().nullish(),
  first_outside: z.array(exampleSchema).default([]).describe('The first few elements that did not pass.'),
  worst: exampleSchema.optional().describe('The one with the greatest absolute error.'),
});

export const comparedSchema = z.looseObject({
  event: z.literal('compared'),
  region: z.string().optional(),
  variable: z.string().optional(),
  bytes: count,
  changed: z.boolean().describe('Whether the captured dispatch changed it.'),
  ignored_bytes: count,
  varying_bytes: count.describe('Judged by the range that the self-check recorded.'),
  unjudged_bytes: count.optional().describe('Left out: the order of waves decides what they hold.'),
  differing_bytes: count,
  first_difference: count.nullish().describe('Offset of the first byte that differs.'),
  difference_map: z
    .looseObject({
      bin_bytes: count,
      bins: z
        .array(z.tuple([count, count]))
        .describe('Number of the bin, and bytes of it that differ; not those with none.'),
    })
    .optional()
    .describe('Where in it bytes differ, in bins of equal size, 1024 at most.'),
});

/** Arrays in free order that are judged together. */
export const freeOrderSchema = z.looseObject({
  event: z.literal('free_order'),
  verdict: z
    .enum(['same', 'unknown', 'different'])
    .describe('"unknown": the same elements, but not in all the records that the replays of the self-check held.'),
  arrays: z.array(
    z.looseObject({
      region: z.string().optional(),
      variable: z.string().optional(),
      offset: count,
      bytes: count,
      record_bytes: count.describe('What came in whole records of so many bytes.'),
      possible_record_bytes: z
        .array(count)
        .default([])
        .describe('Longer ones that every replay of the self-check held, by chance or not.'),
      together: z.boolean().default(false).describe('Ordered by the same permutation as the others.'),
      indexes: z.string().optional().describe('The region or variable whose records its values are numbers of.'),
      spans: count
        .optional()
        .describe(
          'Rows, cells or buckets, as counters that the kernel changed tell: the order is free within each only.',
        ),
    }),
  ),
  reason: z.string().optional().describe('Why it cannot be known.'),
});

/** A variant's write to memory that the captured code neither reads nor writes, with the previous content. */
export const straySchema = z.looseObject({
  region: z.string().optional(),
  variable: z.string().optional(),
  offset: count.describe('Of the first byte.'),
  bytes: count,
});

/** A variant's reads of blocks of 0 that the captured code neither reads nor writes. */
export const untouchedReadSchema = z.looseObject({
  region: z.string(),
  offset: count.describe('Of the first byte.'),
  address: z.string().describe('Likewise.'),
  bytes: count,
  arguments: z.array(z.string()).optional().describe('Names of the pointer parameters whose array it is in.'),
});

/** Integers beyond 2^53 are text. */
const argumentValue = z.union([z.number(), z.string()]);

/** Outcome for an input derived from the captured one. */
export const derivedSchema = z.looseObject({
  event: z.literal('derived'),
  input: count.describe('Its number: --inputs-only.'),
  verdict: z
    .enum(['same', 'dropped', 'different', 'past_lds', 'fault', 'limit'])
    .describe(
      '"same": as the captured code. "dropped": it counts for nothing. "past_lds": the same bytes, but the variant alone goes past the end of LDS.',
    ),
  reason: z.string().optional().describe('Why it was dropped, or under which condition it is different.'),
  recipe: z.string().optional().describe('How its arrays differ from the captured input.'),
  arrays: z
    .array(
      z.looseObject({
        region: z.string().optional(),
        variable: z.string().optional().describe('In place of a region.'),
        offset: count.describe('Of the first element.'),
        elements: count,
        dtype: z.string(),
        declared: z.boolean().describe('By the signature or kernel.json; else guessed from what the memory holds.'),
        record_bytes: count.optional().describe('With --inputs-record: its records change places, and nothing else.'),
        records: count.optional().describe('Number of its records.'),
        moved_records: count
          .optional()
          .describe('Of these, the places that hold other bytes than in the captured input.'),
      }),
    )
    .describe('What is changed in memory.'),
  argument: z
    .looseObject({ name: z.string(), from: argumentValue, to: argumentValue })
    .optional()
    .describe('What is changed among the arguments.'),
});

const extent = z.array(count);
const changed = <T extends z.ZodType>(value: T) => z.looseObject({ from: value, to: value });

/** Memory around captured memory that the guard makes inaccessible. */
export const guardSchema = z.looseObject({
  is_exact: z.boolean(),
  granule: count,
  padding_bytes: count,
  closed_bytes: count,
  neighbours_unmapped: count,
  neighbours_in_use: count,
});

/** Preparation of the caches before the kernel starts. */
export const cachesSchema = z.looseObject({
  state: z.enum(['warm', 'cold']),
  is_modelled: z.boolean().describe('False on the software GPU, which has no caches: every state is the same there.'),
  reported_bytes: count.describe('The largest cache that the device tells of; 0: it tells of none.'),
  overwritten_bytes: count.describe('Of memory, by the device, between restoring and every launch; 0 where not cold.'),
});

/** Parts of the launch that differ from the capture. */
export const overriddenSchema = z.looseObject({
  of_variant: z
    .boolean()
    .optional()
    .describe('It is how the source of the variant says that it is launched, with the same result.'),
  grid_blocks: changed(extent).optional(),
  block_threads: changed(extent).optional(),
  dynamic_group_segment_bytes: changed(count).optional(),
  arguments: z
    .array(
      z.looseObject({
        index: count,
        name: z.string(),
        type: z.string(),
        offset: count.optional(),
        // A string for pointers and beyond 2^53; null if JSON has no number for it.
        from: z.union([z.number(), z.string()]).nullable(),
        to: z.union([z.number(), z.string()]).nullable(),
      }),
    )
    .optional(),
});

/** Side that an event of a side-by-side replay belongs to. */
export const sideSchema = z.enum(['captured', 'variant']);

/** Counters of one instruction over all waves. */
const hotSpotSchema = z.looseObject({
  event: z.literal('hot_spot'),
  side: sideSchema.optional(),
  pc: z.string(),
  code_object: z.string().optional(),
  offset: z.string().optional(),
  instruction: z.string(),
  branch: z.boolean().optional(),
  vector: z.boolean().optional(),
  executed: count,
  true_lanes: count.optional(),
  false_lanes: count.optional(),
});

/** One of the two accesses of a race. */
const accessSchema = z.looseObject({
  access: z.enum(['read', 'write']),
  pc: z.string(),
  pc_offset: z.string().describe("From the kernel's entry."),
  instruction: z.string(),
  code_object: z.string().optional(),
  offset: z.string().optional().describe('In the code object.'),
  workgroup: z.array(count),
  wave: count,
});

/** Finding of a check during the adverse order. */
const findingSchema = accessSchema.extend({
  event: z.literal('finding'),
  kind: z.string(),
  kernel: z.string(),
  lane: z.int(),
  address: z.string(),
  bytes: count,
  in_lds: z.boolean().default(false),
  missing_wait: z
    .string()
    .optional()
    .describe('Of a barrier in between that does not order the two: what is missing before it.'),
  stale_cache: z
    .string()
    .optional()
    .describe('Of a load that waits in a loop: the cache that may answer it with the value before the store for ever.'),
  region: z.string().optional(),
  variable: z.string().optional(),
  offset_in_target: count.optional(),
  text: z.string(),
  other: accessSchema.optional().describe('The earlier access.'),
});

/** First floating-point atomic of a launch in each watched region. */
const floatAtomicSchema = z.looseObject({
  event: z.literal('float_atomic'),
  region: z.string(),
  offset_in_target: count,
  address: z.string(),
  bytes: count,
  instruction: z.string(),
  effect: z.enum(['none', 'unknown_memory']).describe('What it does on the real GPU.'),
});

/** An instruction that accessed LDS beyond its end, where the software GPU continues as hardware does. */
const pastLdsSchema = accessSchema.extend({
  event: z.literal('past_lds'),
  lane: z.int(),
  address: z.string().describe('The offset in LDS.'),
  bytes: count,
  text: z.string(),
});

const lensContent = { bytes: count, address: z.string(), file: z.string(), sha256: z.string() };

const events = {
  device: ranOnSchema,
  restored: z.looseObject({
    event: z.literal('restored'),
    regions: count,
    bytes: count,
    dropped_bytes: count.optional(),
    host_bytes: count.optional(),
  }),
  guard: guardSchema.extend({ event: z.literal('guard') }),
  cache: cachesSchema.extend({ event: z.literal('cache') }),
  overridden: overriddenSchema.extend({ event: z.literal('overridden') }),
  iteration: z.looseObject({
    event: z.literal('iteration'),
    index: count,
    side: sideSchema.optional(),
    round: count.optional(),
    duration_ns: count.nullish(),
    timer: z.string().nullish(),
    counters: z.record(z.string(), z.number()).nullish(),
  }),
  lens: z.looseObject({
    event: z.literal('lens'),
    bytes: count,
    variables: z.array(z.looseObject({ name: z.string(), ...lensContent })),
    buffers: z.array(z.looseObject({ id: z.string(), ...lensContent })),
  }),
  probes: z.looseObject({
    event: z.literal('probes'),
    wave_size: count,
    maps: z.array(
      z.looseObject({
        name: z.string(),
        units: count,
        unit_bytes: count,
        file: z.string(),
        counts_file: z.string(),
        kept: count,
        dropped: count,
      }),
    ),
  }),
  hot_spot: hotSpotSchema,
  finding: findingSchema,
  float_atomic: floatAtomicSchema,
  past_lds: pastLdsSchema,
  adverse: z.looseObject({ event: z.literal('adverse'), wave_instructions: count }),
  difference: differenceSchema,
  variable_kept: z.looseObject({
    event: z.literal('variable_kept'),
    variable: z.string(),
    is_known: z.boolean().default(false).describe('That the app never set it.'),
  }),
  variable_restored: z.looseObject({ event: z.literal('variable_restored'), variable: z.string() }),
  fault: z.looseObject({
    event: z.literal('fault'),
    side: sideSchema.optional(),
    kind: z.string(),
    kernel: z.string().nullish(),
    pc: z.string().nullish(),
    instruction: z.string().nullish(),
    lane: z.union([z.number(), z.string()]).nullish(),
    address: z.string().nullish(),
    /** Captured region that contains the address or is next to it; distances in bytes. */
    near: z
      .looseObject({
        region: z.string(),
        position: z.enum(['before', 'inside', 'behind']),
        distance: count,
        size: count,
        dropped: z.boolean().optional(),
      })
      .nullish(),
    text: z.string().nullish(),
    /** Suggested next step, if known. */
    hint: z.string().nullish(),
  }),
  checked: z.looseObject({
    event: z.literal('checked'),
    side: sideSchema,
    compared_bytes: count,
    differing_bytes: count,
    /** Number of launches checked: the first and all timed ones; older programs checked only the first. */
    launches: count.default(1),
    wrong_launches: count.default(0),
    /** Minimum time to write what the app's launch wrote: bytes beyond the L2 cache, at full memory bandwidth. */
    least_ns: count.optional(),
    state: keptStateSchema.optional(),
  }),
  conditions: conditionsSchema.extend({ event: z.literal('conditions'), side: sideSchema.optional() }),
  unexplained: z.looseObject({
    event: z.literal('unexplained'),
    region: z.string().optional(),
    variable: z.string().optional(),
    offset: count,
    dtype: z.string(),
    post: z.unknown(),
    min: z.unknown(),
    max: z.unknown(),
  }),
  tolerance: toleranceSchema,
  compared: comparedSchema,
  free_order: freeOrderSchema,
  derived: derivedSchema,
  varying: varyingSchema.extend({ event: z.literal('varying') }),
  reread: rereadSchema.extend({ event: z.literal('reread') }),
  overwritten: overwrittenSchema.extend({ event: z.literal('overwritten') }),
  untouched: overwrittenSchema.extend({ event: z.literal('untouched') }),
  stray: straySchema.extend({ event: z.literal('stray') }),
  untouched_read: untouchedReadSchema.extend({ event: z.literal('untouched_read') }),
  unused: overwrittenSchema.extend({ event: z.literal('unused') }),
  result: z.looseObject({
    event: z.literal('result'),
    verdict: z.enum(['pass', 'fail', 'vacuous', 'fault', 'limit', 'ran']),
    side: sideSchema.optional(),
    compared_bytes: count.nullish(),
    changed_bytes: count.nullish(),
    ignored_bytes: count.nullish(),
    varying_bytes: count.nullish(),
    unjudged_bytes: count.nullish(),
    /**
     * Bytes judged by launches that started with other values in them than the app's, and those among them that the
     * app's dispatch left unchanged.
     */
    overwritten_bytes: count.nullish(),
    rewritten_bytes: count.nullish(),
    /** Fill with which the failed launch started; missing if it started with the app's values. */
    fill: z.string().nullish(),
    /** Differing bytes that still have the fill. */
    unwritten_bytes: count.nullish(),
    /** Differing bytes written where the captured code touches nothing. */
    stray_bytes: count.nullish(),
    /**
     * Whether the failed launch was the one with other values in memory that the captured code does not touch, but the
     * code writes, or reads in blocks of 0.
     */
    disturbed: z.boolean().nullish(),
    /** Whether the failed launch was the one on a machine in use. */
    machine_in_use: z.boolean().nullish(),
    /** Figures of a calibration. */
    replays: count.nullish(),
    confidence: z.number().nonnegative().nullish(),
    miss_per_replay: z.number().nonnegative().nullish(),
    is_settled: z.boolean().nullish(),
    reason: z.string().nullish(),
    code: z.string().nullish().describe('Of a failure that is no difference: LAUNCH_IMPOSSIBLE.'),
    differing_bytes: count.nullish(),
    state: keptStateSchema.nullish(),
    /** Counts of derived inputs. */
    derived: z
      .looseObject({
        ...{ judged: count, dropped: count, seed: count, failed: count.optional() },
        arrays: count.optional(),
        changeable: count.optional(),
      })
      .nullish(),
    lens_bytes: count.nullish().describe('Of a lens: read back, and in no verdict.'),
    wave_instructions: count.nullish(),
  }),
} as const;

export type ReplayEvent = { [Name in keyof typeof events]: z.output<(typeof events)[Name]> }[keyof typeof events];
export type Side = z.output<typeof sideSchema>;
export type CheckedEvent = z.output<typeof events.checked>;
export type ConditionsEvent = z.output<typeof events.conditions>;
export type DifferenceEvent = z.output<typeof differenceSchema>;
export type HotSpotEvent = z.output<typeof hotSpotSchema>;
export type FindingEvent = z.output<typeof findingSchema>;
export type FloatAtomicEvent = z.output<typeof floatAtomicSchema>;
export type PastLdsEvent = z.output<typeof pastLdsSchema>;
export type FaultEvent = z.output<typeof events.fault>;
export type IterationEvent = z.output<typeof events.iteration>;
export type LensEvent = z.output<typeof events.lens>;
export type ProbesEvent = z.output<typeof events.probes>;
export type ComparedEvent = z.output<typeof comparedSchema>;
export type DerivedEvent = z.output<typeof derivedSchema>;
export type FreeOrderEvent = z.output<typeof freeOrderSchema>;
export type ToleranceEvent = z.output<typeof toleranceSchema>;
export type Guard = z.output<typeof guardSchema>;
export type Caches = z.output<typeof cachesSchema>;
export type Overridden = z.output<typeof overriddenSchema>;
export type ResultEvent = z.output<typeof events.result>;
export type Stray = z.output<typeof straySchema>;
export type UntouchedRead = z.output<typeof untouchedReadSchema>;
export type UnexplainedEvent = z.output<typeof events.unexplained>;
export type VaryingRange = z.output<typeof varyingSchema>;

export const replayEvents: ReadonlyMap<string, z.ZodType<ReplayEvent>> = new Map(Object.entries(events));
