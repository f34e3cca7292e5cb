import { z } from 'zod';
import { count } from '../support/count';

/** Events of kernloop-recorder (schemas/native-events.ts). Unknown fields are kept. */
const id = z.string();

const geometrySchema = z.looseObject({
  grid_blocks: z.array(count).min(1).max(3),
  block_threads: z.array(count).min(1).max(3),
  grid_work_items: z.array(count).min(1).max(3).optional(),
});

/** Geometry of one launch, as in capture.json. */
const launchedSchema = geometrySchema.extend({
  dimensions: count.optional(),
  group_segment_bytes: count.optional(),
  private_segment_bytes: count.optional(),
  attributes: z.record(z.string(), z.number()).optional().describe('Of a launch on CUDA.'),
});

/** Resources of a multiprocessor that a launch takes, if the device reports them; unknown ones are left out. */
const resourcesSchema = z.looseObject({
  registers_per_thread: count.optional(),
  static_shared_bytes: count.optional(),
  dynamic_shared_bytes: count.optional(),
  local_bytes_per_thread: count.optional(),
  resident_blocks_per_multiprocessor: count.optional(),
  occupancy_percent: z.number().nonnegative().optional(),
});

const kernelProfileSchema = resourcesSchema.extend({
  name: z.string(),
  symbol: z.string(),
  code_object: z.string(),
  unit: z.enum(['wave_instructions', 'duration_ns']),
  dispatches: count,
  total: count,
  min: count,
  p10: count.optional(),
  median: count,
  p90: count.optional(),
  max: count,
  geometries: z.array(geometrySchema.extend({ dispatches: count, ...resourcesSchema.shape })),
  other_geometries: count.optional().describe('Geometries beyond those listed.'),
});

const pid = z.int();

/** Identity of a process; `runtime` is the file that loaded the agent. */
const processSchema = z.looseObject({
  pid,
  parent_pid: z.int().default(0),
  executable: z.string(),
  command: z.array(z.string()).default([]),
  runtime: z.string().default(''),
});

const takenSchema = z.looseObject({
  id,
  pid: pid.optional(),
  ordinal: count.default(1),
  bytes_raw: count,
  bytes_stored: count,
  regions: count,
  bytes_tracked: count,
  kernel: z.string(),
  symbol: z.string().default(''),
  code_object: z.string().default(''),
  geometry: launchedSchema,
  wave_instructions: count.nullish(),
});

const kernelCountSchema = z.looseObject({
  name: z.string(),
  symbol: z.string().optional(),
  code_object: z.string().optional(),
  dispatches: count,
});

const plannedRegionSchema = z.looseObject({
  id: z.string(),
  base: z.string(),
  bytes: count,
  class: z.string(),
  api: z.string(),
  reached: z.enum(['arguments', 'region', 'variable', 'all', 'widened']),
  from: z.string().optional(),
  bytes_changed: count,
  bytes_zero: count,
  bytes_repeated: count,
  bytes_stored: count,
});

/** The agent passes on what the software GPU reports of a fault, as JSON with a text in it. */
function withoutJson(reason: string): string {
  const start = reason.indexOf('{');
  if (start < 0) return reason;
  try {
    const { text } = z.looseObject({ text: z.string() }).parse(JSON.parse(reason.slice(start)));
    return reason.slice(0, start) + text;
  } catch {
    return reason;
  }
}

const events = {
  listening: z.looseObject({ event: z.literal('listening') }),
  process: processSchema.extend({ event: z.literal('process') }),
  process_end: z.looseObject({ event: z.literal('process_end'), pid }),
  queue: z.looseObject({ event: z.literal('queue') }),
  kernel: z.looseObject({ event: z.literal('kernel'), name: z.string(), symbol: z.string(), code_object: z.string() }),
  matched: z.looseObject({ event: z.literal('matched'), id, ordinal: count.optional(), kernel: z.string().optional() }),
  /** Another process already had the selection. */
  also_matched: z.looseObject({ event: z.literal('also_matched'), id, pid, captured_by: pid }),
  capturing: z.looseObject({
    event: z.literal('capturing'),
    id: id.optional(),
    /** Phase: memory is copied before the launch, or compared after it. */
    phase: z.enum(['before', 'after']).default('before'),
    bytes: count.optional(),
    /** Total amount, if known. */
    total_bytes: count.optional(),
  }),
  captured: takenSchema.extend({ event: z.literal('captured'), output: z.string() }),
  /** Result of a dry run, instead of `captured`. */
  planned: takenSchema.extend({
    event: z.literal('planned'),
    plan: z.looseObject({ regions: z.array(plannedRegionSchema), scope_bytes: count, elapsed_ms: count }),
  }),
  refused: z.looseObject({
    event: z.literal('refused'),
    id,
    ordinal: count.optional(),
    code: z.string(),
    reason: z.string().transform(withoutJson),
    hint: z.string().default(''),
  }),
  scope_violation: z.looseObject({
    event: z.literal('scope_violation'),
    id,
    ordinal: count.default(1),
    symbol: z.string().default(''),
    code_object: z.string().default(''),
    geometry: launchedSchema.optional(),
    regions: z.array(z.unknown()).default([]),
  }),
  note: z.looseObject({ event: z.literal('note'), pid: pid.optional(), code: z.string(), text: z.string() }),
  summary: z.looseObject({
    event: z.literal('summary'),
    processes: count,
    queues: count,
    dispatches: count,
    kernels: z.array(kernelCountSchema),
    /** Number of dispatches that each selection counted, in the process with the most. */
    selections: z.array(z.looseObject({ id, matches: count })).default([]),
    /** The first processes, if there are many. */
    per_process: z
      .array(
        processSchema.extend({
          queues: count,
          dispatches: count,
          kernels: z.array(kernelCountSchema.required({ symbol: true })),
        }),
      )
      .default([]),
    /** Profile mode only. */
    kernel_profile: z.array(kernelProfileSchema).optional(),
    /** Times at which kernels ran, if the device reports them; kernels are indexes in kernel_profile. */
    kernel_launches: z
      .looseObject({
        left_out: count,
        rows: z.array(
          z.looseObject({ kernel: count, start_ns: z.string(), end_ns: z.string(), device: count, stream: count }),
        ),
      })
      .optional(),
  }),
} as const;

export type RecorderEvent = { [Name in keyof typeof events]: z.output<(typeof events)[Name]> }[keyof typeof events];
export type PlannedEvent = z.output<typeof events.planned>;
export type CapturingEvent = z.output<typeof events.capturing>;
export type CapturedEvent = z.output<typeof events.captured>;
export type ViolationEvent = z.output<typeof events.scope_violation>;
export type RefusedEvent = z.output<typeof events.refused>;
export type KernelProfileRow = z.output<typeof kernelProfileSchema>;
export type SummaryEvent = z.output<typeof events.summary>;

export const recorderEvents: ReadonlyMap<string, z.ZodType<RecorderEvent>> = new Map(Object.entries(events));
