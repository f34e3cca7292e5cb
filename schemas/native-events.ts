import { z } from 'zod';
import { verifiedSchema } from '../lib/archive/damage';
import { shrunkSchema } from '../lib/capture/shrink';
import { deviceEventSchema } from '../lib/device/cuda';
import { packedSchema } from '../lib/pack/pack';
import { pgoEvents } from '../lib/pgo/pgo-program';
import { entrySchema } from '../lib/pgo-runtime/build';
import { runtimeEventSchema } from '../lib/pgo-runtime/events';
import { recorderEvents } from '../lib/recorder/recorder-events';
import { exportedChunkSchema, exportedSchema } from '../lib/remote/chunk-export';
import { importedSchema } from '../lib/remote/transfer';
import { ranOnSchema } from '../lib/replay/ran-on';
import { replayEvents, sideSchema, untouchedReadSchema } from '../lib/replay/replay-events';
import { probedSchema } from '../lib/sandbox/support';
import * as store from '../lib/store/result';
import { count } from '../lib/support/count';
import { errorEventSchema } from '../lib/support/ndjson';
import { describedSchema } from '../lib/toolchain/find-nvrtc';
import { describedKernelSchema, describedSchema as describedCodeSchema } from '../lib/toolchain/described-code';
import { traceEvents } from '../lib/trace/trace-program';
import { unpackedSchema } from '../lib/unpack/unpack';
import { jsonLines } from './json-text';
import { withSharedBodies } from './shared-bodies';

type Events = Readonly<Record<string, z.ZodType>>;

/** Events of one native program, by name. */
interface NativeProgram {
  readonly name: string;
  /** Type of the events in C++; a program without JSON has none. */
  readonly type?: string;
  readonly events: Events;
}

const text = z.string();
const target = { region: text.optional(), variable: text.optional() };

const byName = (...schemas: readonly (z.ZodObject & { shape: { event: z.ZodLiteral<string> } })[]): Events =>
  Object.fromEntries(schemas.map((schema) => [schema.shape.event.value, schema]));

/** Events and fields that are for tests, bench, people, and other programs: no room of lib reads them. */
const unread: Readonly<Record<string, Readonly<Record<string, z.ZodRawShape>>>> = {
  replay: {
    access: { write: z.boolean(), base: text, size: count },
    checked: { ignored_bytes: count, varying_bytes: count },
    compared: { address: text.optional() },
    difference: { address: text.optional() },
    differences: {
      ...{ ...target, padding: text.optional().describe('Its address, for memory around a region.') },
      ...{ differing_bytes: count, ranges: count, listed: count },
    },
    fault: {
      ...{ access: text.optional(), bytes: count.optional(), detail: text.optional(), error: text.optional() },
      ...{ pc_offset: text.optional(), wave: count.optional(), workgroup: z.array(count).optional() },
    },
    finding: { detail: text },
    float_atomic: { workgroup: z.array(count), wave: count, lane: count },
    hot_spot: Object.fromEntries(
      [
        ...['lanes', 'taken', 'splits', 'split_before', 'memory_transactions', 'memory_lines_128', 'bytes_read'],
        ...['bytes_written', 'scratch_bytes_read', 'scratch_bytes_written', 'lds_passes', 'lds_bank_conflicts'],
        'lds_address_conflicts',
      ].map((name) => [name, count.optional()]),
    ),
    injection: {
      ...{ flips: count, detected: count, overwritten: count },
      missed: z.array(z.object({ ...target, offset: count, bit: count })),
    },
    past_lds: { kind: text.optional(), kernel: text.optional(), detail: text.optional() },
    restored: { relocated_kernargs: count, variables: count },
    result: {
      ...{ padding_bytes: count.optional(), tolerance_bytes: count.optional(), undecided_bytes: count.optional() },
      ...{ unexplained_elements: count.optional(), order_dependent_bytes: count.optional() },
    },
    stale_code_pointers: { kernargs: count, memory: count },
    tolerance: { matched: z.number(), nan_policy: text.optional(), inf_policy: text.optional() },
    variable_kept: { reason: text },
    variable_missing: { variable: text, bytes: count },
    variable_restored: { reason: text },
  },
  recorder: {
    also_matched: { ordinal: count, kernel: text },
    matched: { widened: z.boolean() },
    queue: { queue: count, device: text, isa: text },
    summary: { captured: z.array(text), refused: z.array(text) },
  },
  archive: {
    code_object: { sha256: text, bytes: count },
    error: { problem_count: count.optional(), problems: z.array(errorEventSchema).optional() },
    exported_chunk: { bytes: count },
    info: {
      ...{ schema: text, capture_sha256: text, kernel: z.object({ name: text, symbol: text }) },
      device: z.object({ kind: text, identity: text, isa: text }),
      ...{ grid_blocks: z.array(count).length(3), block_threads: z.array(count).length(3) },
      ...{ regions: count, region_bytes: count, dropped_bytes: count, module_variables: count, code_objects: count },
      ...{ tracked_bytes: count, chunks: count, chunks_missing: count, bytes_raw: count, bytes_stored: count },
    },
    verified: { capture_sha256: text, chunks: count, zero_chunks: count, bytes_raw: count, bytes_distinct: count },
  },
  pgo: {
    function: {
      ...{ name: text, hash: text },
      pattern: text.describe('A letter for each counter, U or D; only of indexed profiles.'),
      counters: z.array(
        z.object({
          lanes: count,
          uniform: count.optional().describe('Lanes of waves in which all took it.'),
          uniform_share: z.number().optional(),
          class: count.optional().describe('Counters of one class have the same waves.'),
          waves: count.optional(),
        }),
      ),
    },
    merged: { output: text, waves: text.optional() },
    shown: { functions: count, arch: text, wave_size: count, sampling: text },
  },
  runtime: {
    measured: { compiled: z.boolean(), at_end: z.boolean() },
    program: { gate: text, compiled: z.boolean() },
    sampled: { profile: text },
  },
};

/** The answer to the library in the app, which is another reader; only the verb `build` counts profiles. */
const entry = entrySchema.extend({
  profiles: entrySchema.shape.profiles.optional(),
  problem: errorEventSchema.omit({ event: true }).optional(),
  production: text,
  gate: text,
  folder: text,
  compiled: z.boolean(),
  known: z.boolean().optional(),
  profile: z.object({ id: text, raw: text, kernels: z.array(text) }).nullable(),
});

/** The events that lib reads, with what it does not read; `common` is in each of them. */
function withUnread(read: Events, fields: keyof typeof unread, common: z.ZodRawShape = {}): Events {
  const more = unread[fields] ?? {};
  const names = [...new Set([...Object.keys(read), ...Object.keys(more)])];
  return Object.fromEntries(
    names.map((event) => {
      const known = read[event] ?? z.object({ event: z.literal(event) });
      return [event, known instanceof z.ZodObject ? known.extend({ ...common, ...more[event] }) : known];
    }),
  );
}

/** Names of parameters come from lib. */
const untouchedRead = untouchedReadSchema.omit({ arguments: true }).extend({ event: z.literal('untouched_read') });
const cudaDevice = deviceEventSchema.extend({
  l2_bytes: count,
  ...{ memory_bus_bits: count.optional(), memory_clock_khz: count.optional(), sm_clock_khz: count.optional() },
});

export const nativePrograms: readonly NativeProgram[] = [
  {
    ...{ name: 'kernloop-replay', type: 'ReplayEvent' },
    events: withUnread(
      {
        ...Object.fromEntries(replayEvents),
        untouched_read: untouchedRead,
        device: z.union([ranOnSchema, cudaDevice]),
      },
      'replay',
      { side: sideSchema.optional() },
    ),
  },
  {
    ...{ name: 'kernloop-recorder', type: 'RecorderEvent' },
    events: withUnread(Object.fromEntries(recorderEvents), 'recorder', { pid: count.optional() }),
  },
  {
    ...{ name: 'kernloop-archive', type: 'ArchiveEvent' },
    events: withUnread(
      {
        ...byName(verifiedSchema, packedSchema, unpackedSchema, shrunkSchema, importedSchema, exportedSchema),
        ...byName(exportedChunkSchema, store.verifiedSchema, store.statsSchema, store.collectedSchema),
        ...byName(describedKernelSchema, describedCodeSchema),
        error: errorEventSchema,
      },
      'archive',
    ),
  },
  { ...{ name: 'kernloop-trace', type: 'TraceEvent' }, events: Object.fromEntries(traceEvents) },
  { ...{ name: 'kernloop-pgo', type: 'PgoEvent' }, events: withUnread(Object.fromEntries(pgoEvents), 'pgo') },
  {
    ...{ name: 'kernloop-pgo-runtime', type: 'PgoRuntimeEvent' },
    events: withUnread(byName(...runtimeEventSchema.options, entry), 'runtime'),
  },
  { ...{ name: 'kernloop-sandbox', type: 'SandboxEvent' }, events: byName(probedSchema) },
  { name: 'kernloop-nvrtc', events: byName(describedSchema) },
];

/** Schemas of one program's events as JSON Schema, by name, closed: an event has no field that its schema lacks. */
export function eventSchemas({ type, events }: NativeProgram): Record<string, object> {
  const error: Events = type === undefined ? {} : { error: errorEventSchema };
  const all = Object.entries<z.ZodType>({ ...error, ...events });
  const sorted = all.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, schema]) => [name, closed(schema)]));
}

function closed(schema: z.ZodType): object {
  const json = z.toJSONSchema(schema, {
    ...{ io: 'input', target: 'draft-7', unrepresentable: 'any' },
    override: ({ jsonSchema }) => {
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
    },
  });
  delete json.$schema;
  return json;
}

/** Files that are generated from the events: a schema of each program, and the names of its events for C++. */
export function nativeEventFiles(): [string, string][] {
  return nativePrograms.flatMap((program): [string, string][] => [
    [`schemas/native/${program.name}.schema.json`, schemaFile(program)],
    ...(program.type === undefined ? [] : [[headerOf(program), header(program, program.type)] as [string, string]]),
  ]);
}

function schemaFile(program: NativeProgram): string {
  return jsonLines(
    withSharedBodies({
      $id: `kernloop/schemas/native/${program.name}.schema.json`,
      $schema: 'http://json-schema.org/draft-07/schema#',
      description: `A line that ${program.name} prints.`,
      oneOf: Object.values(eventSchemas(program)),
    }),
  );
}

const headerOf = ({ name }: NativeProgram): string =>
  `native/base/events/${name.slice('kernloop-'.length).replaceAll('-', '_')}.h`;

function header({ name, events }: NativeProgram, type: string): string {
  const names = Object.keys(events)
    .filter((event) => event !== 'error')
    .sort();
  return [
    `// Events of ${name}, from schemas/native-events.ts by \`npm run schemas\`.`,
    '#pragma once',
    '',
    '#include <nlohmann/json.hpp>',
    '',
    'namespace kernloop {',
    '',
    '// clang-format off',
    `enum class ${type} {`,
    ...names.map((event) => `  ${event},`),
    '};',
    '',
    `inline constexpr const char* k${type}Names[] = {`,
    ...names.map((event) => `  "${event}",`),
    '};',
    '// clang-format on',
    '',
    `inline void to_json(nlohmann::json& json, ${type} event) {`,
    `  json = k${type}Names[static_cast<size_t>(event)];`,
    '}',
    '',
    '}  // namespace kernloop',
    '',
  ].join('\n');
}
