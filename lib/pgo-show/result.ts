import { z } from 'zod';
import { count } from '../support/count';

const measured = {
  lanes: count.nullable().describe('How often lanes came by; null where no counter tells.'),
  waves: count.nullable().describe('How often waves came by.'),
  uniform_share: z
    .number()
    .nullable()
    .describe('Share of the lanes that came with all that were at the branch before.'),
  letter: z.enum(['U', 'D']).nullable().describe('U where that share is 0.9 and more, or nobody came; D otherwise.'),
  spill_store_dwords: count.describe('Stores that register allocation placed there, in dwords of a lane.'),
  spill_load_dwords: count,
};

const place = { file: z.string().nullable(), line: z.int().nullable(), text: z.string().nullable() };

const blockSchema = z.object({ block: z.int(), ...place, column: z.int().nullable(), ...measured });

const functionSchema = z.object({
  name: z.string().describe('In the profile.'),
  symbol: z.string().nullable(),
  hash: z.string(),
  is_kernel: z.boolean(),
  pattern: z.string().describe('One letter a counter.'),
  counters: z.int(),
  blocks: z.array(blockSchema).describe('In the order of the code as it was instrumented.'),
  outside_blocks: z
    .object({ spill_store_dwords: count, spill_load_dwords: count })
    .describe('Spills in blocks that are none of the source: the compiler made them.'),
});

export const pgoShowResultSchema = z.object({
  kernel: z.string(),
  arch: z.string(),
  wave_size: z.int(),
  sampling: z.string(),
  spills_of: z.string().nullable().describe('The variant that the spills are of; null where none was built.'),
  functions: z.array(functionSchema),
  lines: z
    .array(z.object({ file: z.string(), line: z.int(), text: z.string().nullable(), ...measured }))
    .describe('Of the source: the busiest block of each line, with the spills of all of them.'),
});

export type PgoShowResult = z.output<typeof pgoShowResultSchema>;
export type ShownFunction = z.output<typeof functionSchema>;
export type ShownBlock = z.output<typeof blockSchema>;
export type ShownLine = PgoShowResult['lines'][number];
