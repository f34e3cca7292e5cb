import { z } from 'zod';
import { count } from '../support/count';

const hex = z.string().regex(/^0x[0-9a-f]+$/);
const share = z.number().min(0).max(1);

const blockSched = z.object({
  analysis: z.literal('block-sched'),
  blocks: count,
  unwritten_units: count.describe('Warps without a record.'),
  blocks_on_several: count.describe('Blocks whose warps name several processors.'),
  cycles: hex.describe('From the first start to the last end.'),
  idle_share: share.describe('Of all processors over that time: no block ran.'),
  tail_cycles: hex.describe('From when the first processor ran out of blocks to the end.'),
  tail_share: share,
  processors: z.array(
    z.object({
      id: count,
      blocks: count,
      lanes: count.describe('The most blocks at a time.'),
      first: hex,
      last: hex,
      busy: hex,
      idle_share: share,
      gap_cycles: hex.describe('Between a block and the next one in its lane: what scheduling takes.'),
    }),
  ),
});

const heatMap = z.object({
  analysis: z.literal('heat-map'),
  accesses: count,
  empty: count.describe('Slots that no probe wrote.'),
  page_bytes: count.describe('Doubled until there are at most 4096 pages.'),
  first_clock: hex,
  last_clock: hex,
  interval: hex,
  pages: z.array(
    z.object({
      address: hex,
      array: z.string().nullable().describe('Arrays that have bytes in it, where the trace tells them.'),
      accesses: count,
      counts: z.array(count).describe('An interval.'),
    }),
  ),
});

const totals = z.object({
  analysis: z.literal('totals'),
  blocks: count,
  columns: z.array(
    z.object({
      name: z.string(),
      sum: hex,
      is_beyond: z.boolean().describe('The sum is modulo 2^64.'),
      units: count.describe('Threads or warps with a count that is not 0.'),
      least_block: hex,
      most_block: hex,
    }),
  ),
});

const progress = z.object({
  analysis: z.literal('progress'),
  samples: count,
  units: count.describe('Threads or warps with a sample.'),
  full_units: count.describe(
    'Those whose every slot is written: what came after is lost, or in the slots of a neighbour.',
  ),
  unordered: count.describe('Samples before the one that precedes them.'),
  least_samples: count,
  most_samples: count,
  first_clock: hex,
  last_clock: hex,
  interval: hex,
  samples_in: z.array(count),
  active_in: z.array(count).describe('Between their first and their last sample.'),
});

const analysed = z.discriminatedUnion('analysis', [blockSched, heatMap, totals, progress]);

export const traceAnalyzeResultSchema = z.object({
  analyses: z.array(z.object({ file: z.string(), map: z.string(), outputs: z.array(z.string()), result: analysed })),
});

export type TraceAnalyzeResult = z.output<typeof traceAnalyzeResultSchema>;
export type Analysed = z.output<typeof analysed>;
export type BlockSched = z.output<typeof blockSched>;
export type HeatMap = z.output<typeof heatMap>;
export type Totals = z.output<typeof totals>;
export type Progress = z.output<typeof progress>;
