import { z } from 'zod';
import { traceOptions } from '../trace/options';

const analyses = ['block-sched', 'heat-map', 'totals', 'progress'] as const;
export type Analysis = (typeof analyses)[number];

export type FieldRole = 'start' | 'elapsed' | 'processor' | 'clock' | 'address';

export const traceAnalyzeOptionsSchema = z.object({
  ...traceOptions,
  map: z.string().min(1).optional().describe('Map to analyse. Default: all.'),
  analysis: z
    .enum(analyses)
    .optional()
    .describe(
      'Kind of analysis. block-sched: blocks by processor and time. heat-map: pages by time. totals: sums of counts. progress: threads by time. Default: what the field names of the map suggest.',
    ),
  field: z
    .array(z.string().regex(/^(?:start|elapsed|processor|clock|address)=\w+$/, 'not like clock=NAME'))
    .default([])
    .describe(
      'Which field holds the start, elapsed time, processor, clock or address: `clock=cycles`. Default: found by name.',
    ),
  bins: z.int().min(1).max(4096).default(128).describe('Number of time intervals.'),
  pageBytes: z
    .int()
    .min(16)
    .max(2 ** 40)
    .optional()
    .describe(
      'Page size of the heat map in bytes, a power of two. Default: such that all arrays of the kernel take about 64 pages, of 256 bytes to 64 KiB; 64 KiB if the trace does not tell them.',
    ),
  alignClocks: z
    .boolean()
    .default(false)
    .describe('Start every processor of block-sched at 0, for processors whose clocks differ.'),
  clockMhz: z
    .number()
    .positive()
    .optional()
    .describe(
      'Rate of the clock that the probes read. Times in the Perfetto file are then nanoseconds. Default: cycles.',
    ),
  output: z
    .string()
    .min(1)
    .optional()
    .describe('Folder for plots (SVG), tables (JSON) and tracks (.pftrace, for ui.perfetto.dev). Default: write none.'),
});

export type TraceAnalyzeOptions = z.output<typeof traceAnalyzeOptionsSchema>;
