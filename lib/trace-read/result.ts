import { z } from 'zod';
import { timelineResultSchema } from '../timeline/result';
import { dialects } from '../trace/words';
import { count } from '../support/count';

const hex = z.string().regex(/^0x[0-9a-f]+$/);
const level = z.enum(['thread', 'warp']);
const three = z.array(count).length(3);

const mapSchema = z.object({
  name: z.string(),
  level,
  rows: count.describe('Slots of records; nothing in the format says which of them were written.'),
  columns: z.array(
    z.object({ name: z.string(), sum: hex.describe('Modulo 2^64.'), least: hex, most: hex, nonzero: count }),
  ),
});

const errorSchema = z.object({ code: z.string(), message: z.string(), hint: z.string() });

const fileSchema = z.object({
  file: z.string(),
  bytes: count,
  seconds: z.number().nullable().describe('Since the driver began, as its name says.'),
  dialect: z.enum(dialects).nullable(),
  reasons: z.array(z.object({ dialect: z.enum(dialects), fits: z.boolean(), reason: z.string() })),
  grid: three.nullable(),
  block: three.nullable(),
  shared_bytes: count.nullable(),
  sections: z.array(
    z.object({
      bytes: count,
      offset: count,
      recorded_offset: count,
      unit_bytes: count.nullable(),
      is_ragged: z.boolean().describe('The last warp of a block was written over by the first one of the next.'),
    }),
  ),
  maps: z.array(mapSchema),
  error: errorSchema.nullable(),
});

const dmatSchema = z.object({
  file: z.string(),
  bytes: count,
  pages: count.nullable().describe('Of 64 KiB, listed in the file.'),
  clocks: count.nullable(),
  accesses: count.nullable(),
  first_clock: hex.nullable(),
  last_clock: hex.nullable(),
  error: errorSchema.nullable(),
});

const launchSchema = z.object({
  kernel: z.string().nullable(),
  time_ns: hex,
  parameters: z.array(hex),
  grid: three.nullable(),
  block: three.nullable(),
  outcome: z.enum(['done', 'failed', 'unknown']),
  result: z.string().nullable(),
  prologue_ms: z.number().nullable(),
  kernel_ms: z.number().nullable(),
  epilogue_ms: z.number().nullable(),
  callback: z.string().nullable(),
});

export const traceReadResultSchema = z.object({
  path: z.string(),
  process: z.object({ pid: count, month: z.string(), day: count, time: z.string() }).nullable(),
  probe: z
    .object({
      schema: z.enum(['current', 'artifact']),
      callback: z.string().nullable(),
      probes: z.array(z.object({ name: z.string(), level, positions: z.array(z.string()) })),
      maps: z.array(
        z.object({
          name: z.string(),
          level,
          size: count,
          capacity: z.union([count, z.literal('dynamic')]),
          fields: z.array(z.object({ name: z.string(), type: z.enum(['u64', 'u32']) })),
          is_misread_by_neutrino: z
            .boolean()
            .describe("Its fields are written in another order than Neutrino's own reader takes them in."),
        }),
      ),
    })
    .nullable(),
  log: z
    .object({
      events: count,
      unknown: z.array(z.object({ line: count, text: z.string() })),
      launches: z.array(launchSchema),
      overhead: z.object({
        launches: count,
        ratio: z.number().nullable().describe("Prologue, kernel and epilogue to the kernel's own time."),
        slowdown: z.number().nullable().describe('Probed to original kernel, where the driver measured it.'),
      }),
    })
    .nullable(),
  kernels: z.array(
    z.object({
      folder: z.string(),
      name: z.string().nullable(),
      sha1: z.string().nullable(),
      is_name_of_folder: z.boolean().nullable().describe('Whether the folder has the SHA-1 of the name.'),
      registers: count.nullable(),
      files: z.array(z.string()),
    }),
  ),
  tensors: count.nullable(),
  results: z.array(fileSchema),
  dmats: z.array(dmatSchema).describe('Accesses by clock and page, which the dmat tool counted.'),
  timeline: timelineResultSchema.optional().describe('Of a file of events that kernels recorded of themselves.'),
});

export type TraceReadResult = z.output<typeof traceReadResultSchema>;
export type ReadFile = TraceReadResult['results'][number];
export type ReadDmat = TraceReadResult['dmats'][number];
