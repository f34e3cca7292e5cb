import { z } from 'zod';

/** The software GPU's counters of an instruction; zeros are left out. docs/reference/softgpu.md explains each. */
export const hotSpotFigures = [
  'executed',
  'lanes',
  'taken',
  'splits',
  'split_before',
  'true_lanes',
  'false_lanes',
  'memory_transactions',
  'memory_lines_128',
  'bytes_read',
  'bytes_written',
  'scratch_bytes_read',
  'scratch_bytes_written',
  'lds_passes',
  'lds_bank_conflicts',
  'lds_address_conflicts',
] as const;

/** Counters that hot spots can be ordered by. */
export const hotSpotOrders = [
  'executed',
  'lanes',
  'transactions',
  'conflicts',
  'splits',
  'branches',
  'scratch',
] as const;
export type HotSpotOrder = (typeof hotSpotOrders)[number];

const figuresSchema = z
  .record(z.string(), z.number().nonnegative())
  .describe('By name, without those that are 0; vector_executed is executed where the active lanes execute it.');

const instructionSchema = z.object({
  pc: z.string().describe('Its address in this replay.'),
  offset: z.string().nullable().describe('Its address in the code object, as disassemblers show it.'),
  instruction: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  branch: z.boolean().describe('A conditional one: `taken` counts its jumps.'),
  figures: figuresSchema,
});

const lineSchema = z.object({
  file: z.string(),
  line: z.int(),
  text: z.string().nullable().describe('The line, where the file lies in the workspace.'),
  figures: figuresSchema,
});

export const hotSpotsSchema = z.object({
  by: z.enum(hotSpotOrders).describe('What they are ordered by.'),
  no_lines: z.string().nullable().describe('Why there are no source lines; null where there are.'),
  lines: z.array(lineSchema).describe('Of the source, in the order asked for; none by branches.'),
  instructions: z
    .array(instructionSchema)
    .describe('Every one that a wave reached, in the order asked for; by branches, those that branch or split a wave.'),
});

export type Figures = Record<string, number>;
export type HotInstruction = z.output<typeof instructionSchema>;
export type HotLine = z.output<typeof lineSchema>;
export type HotSpots = z.output<typeof hotSpotsSchema>;
