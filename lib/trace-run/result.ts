import { z } from 'zod';
import { count } from '../support/count';

const verdict = z.enum(['pass', 'fail', 'vacuous', 'fault', 'limit', 'ran']);

const mapSchema = z.object({
  name: z.string(),
  level: z.enum(['thread', 'warp']),
  units: count.describe('Threads or warps of the grid; partial blocks count as whole ones.'),
  capacity: count.describe('Records that each has room for.'),
  kept: count,
  dropped: count.describe('Records that had no room.'),
  most: count.describe('Records of the thread or warp that had most, kept or not.'),
  overflowed: count.describe('Threads or warps that had more than there was room for.'),
  counts: z.string().describe('A u32 for each thread or warp, in the order of the map: its records, kept or not.'),
});

const launchSchema = z.object({
  dispatch: count,
  capture: z.string().describe('Its folder, relative to the reproducer.'),
  result: z.string().nullable().describe('In the trace folder; null after a fault or a limit.'),
  counted: z.boolean().describe('Whether a counting run was made before.'),
  verdict: verdict.describe('Of the result in memory under probes, by what the app computed.'),
  verdict_without: verdict.describe('The same without probes.'),
  reason: z.string().nullable(),
  fault: z.string().nullable(),
  compared_bytes: count,
  differing_bytes: count,
  differing_bytes_without: count,
  warp_size: count,
  arrays: z
    .array(
      z.object({
        name: z.string().describe('Parameters that point to it, or the region.'),
        address: z.string().regex(/^0x[0-9a-f]+$/),
        bytes: count,
      }),
    )
    .describe('Memory that the kernel was given, by address: what the addresses in records are of.'),
  maps: z.array(mapSchema),
  registers: z.object({ before: count, after: count }).nullable().describe('Where code was rewritten.'),
  wave_instructions: count.nullable(),
  milliseconds: z.number().nonnegative().nullable(),
  left_out: z.array(z.string()).describe('What the probes did not see.'),
  callback: z.enum(['succeeded', 'failed', 'not run']).nullable().describe('Of the probe file; null if it has none.'),
});

/** Facts that Neutrino's format cannot hold: probe-run.json of the trace folder. */
const probeRunSchema = z.object({
  schema: z.literal('kernloop.probe-run/1'),
  kernel: z.string(),
  symbol: z.string(),
  code: z.string().describe('What was probed: the captured code or a variant.'),
  device: z.object({ kind: z.string(), identity: z.string() }),
  clock: z.enum(['wave-instructions', 'cycles']).describe('What clocks count. Wave-instructions are not times.'),
  probe: z.object({ name: z.string(), sha256: z.string(), callback: z.string().nullable() }),
  launches: z.array(launchSchema),
  other_files: z.array(z.string()).describe('Files in the trace folder that the CALLBACK left.'),
});

export const traceRunResultSchema = probeRunSchema
  .omit({ schema: true })
  .extend({ folder: z.string().describe('Of the trace, absolute.'), exit_code: z.int() });

export type ProbedDispatch = z.output<typeof launchSchema>;
export type MapSummary = z.output<typeof mapSchema>;
export type ProbeRunJson = z.output<typeof probeRunSchema>;
export type TraceRunResult = z.output<typeof traceRunResultSchema>;
