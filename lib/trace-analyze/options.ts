import { z } from 'zod';
import { traceOptions } from '../trace/options';

const analyses = ['block-sched', 'heat-map', 'totals', 'progress'] as const;
export type Analysis = (typeof analyses)[number];

export type FieldRole = 'start' | 'elapsed' | 'processor' | 'clock' | 'address';

export const traceAnalyzeOptionsSchema = z.object({
  ...traceOptions,
  map: z.string().min(1).optional().describe('The map to analyse; every one if left out.'),
  analysis: z
    .enum(analyses)
    .optional()
    .describe(
      'block-sched: blocks over processors and time; heat-map: pages over time; totals: counts summed; progress: moments of threads over time. What the fields of a map are named like if left out.',
    ),
  field: z
    .array(z.string().regex(/^(?:start|elapsed|processor|clock|address)=\w+$/, 'not like clock=NAME'))
    .default([])
    .describe('Which field is the start, elapsed, processor, clock or address: `clock=cycles`. By name if left out.'),
  bins: z.int().min(1).max(4096).default(128).describe('Intervals of time.'),
  pageBytes: z
    .int()
    .min(16)
    .max(2 ** 40)
    .default(65536)
    .describe('Of a page of the heat map; a power of two.'),
  alignClocks: z
    .boolean()
    .default(false)
    .describe('Let every processor of block-sched begin at 0, where the clocks of processors are not the same.'),
  clockMhz: z
    .number()
    .positive()
    .optional()
    .describe(
      'Of the clock that the probes read: times of the Perfetto file are then nanoseconds; cycles if left out.',
    ),
  output: z
    .string()
    .min(1)
    .optional()
    .describe('Folder for plots (SVG), tables (JSON) and tracks (.pftrace, for ui.perfetto.dev); none if left out.'),
});

export type TraceAnalyzeOptions = z.output<typeof traceAnalyzeOptionsSchema>;
