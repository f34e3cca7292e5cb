import { z } from 'zod';
import { count } from '../support/count';

/** Facts about files of events, besides those about the written file. */
export const timelineResultSchema = z.object({
  unit: z.enum(['ns', 'steps']).describe('Of every length; steps of the software GPU are not times.'),
  alignment: z
    .enum(['host', 'single', 'none'])
    .describe(
      "Ranks are on the host's clock (host), there is one only (single), or nothing relates their clocks (none).",
    ),
  zero: z
    .string()
    .describe("What 0 of the timeline is: of the host's CLOCK_MONOTONIC where ranks are on it, else of the device."),
  ranks: z.array(
    z.object({
      rank: count,
      device: z.string(),
      kept: count,
      dropped: z.string().describe('Events that found no room.'),
      open: count.describe('Never ended.'),
      reversed: count.describe('End before they start.'),
      clock: z.string(),
      resolution: count.describe("The clock's smallest step; 0 where nobody measured it."),
      error_ns: count
        .nullable()
        .describe("No time of the rank is further from the host's clock than this; null where nothing bounds it."),
    }),
  ),
  statistics: z.array(
    z.object({
      rank: z.int(),
      name: z.string(),
      count,
      open: count,
      reversed: count,
      total: count,
      least: count,
      most: count,
      payload_bytes: z.int(),
      lengths: z.array(count).describe('How many are shorter than 1, 2, 4, 8, …'),
    }),
  ),
  flows: count.describe('Arrows between ranks.'),
  host_ranges: count,
  launches: count,
  notes: z.array(z.string()),
});

export type TimelineResult = z.output<typeof timelineResultSchema>;
