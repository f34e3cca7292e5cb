import { z } from 'zod';

export const ruleNames = [
  'coalescing',
  'lds-bank-conflicts',
  'lds-atomics',
  'divergence',
  'scratch',
  'partial-waves',
  'occupancy',
  'idle-units',
] as const;
export type RuleName = (typeof ruleNames)[number];

const figuresSchema = z.record(z.string(), z.number()).describe('The figures that prove it.');

const placeSchema = z.object({
  file: z.string().nullable(),
  line: z.int().nullable(),
  text: z.string().nullable().describe('The source line, where its file is known.'),
  offset: z.string().nullable().describe('Without a line: the address in the code object.'),
  instruction: z.string().nullable().describe('Without a line: the instruction.'),
  says: z.string(),
  figures: figuresSchema,
});

const adviceSchema = z.object({
  rule: z.enum(ruleNames),
  says: z.string().describe('What limits the kernel, with the figure that proves it.'),
  next: z.string().describe('What to try.'),
  figures: figuresSchema,
  places: z.array(placeSchema).describe('Source lines, or instructions without line information, the heaviest first.'),
});

export const explanationSchema = z.object({
  position: z
    .object({
      operations: z.int().describe('Operations of the vector ALU, by lanes; an MFMA counts as one a lane.'),
      bytes: z.int().describe('Bytes of global memory that lanes asked for.'),
      operations_per_byte: z.number(),
      instructions_per_transaction: z
        .number()
        .nullable()
        .describe('Vector ALU instructions for each transaction of 64 bytes; null without any.'),
    })
    .nullable()
    .describe('The place on the horizontal axis of a roofline; null where nothing was counted or no memory accessed.'),
  advice: z.array(adviceSchema).describe('What the counts prove; empty where they prove nothing.'),
  not_told: z
    .array(z.string())
    .describe('Why rules had nothing to look at: no counters, no code object, a processor whose limits are not known.'),
});

export type Place = z.output<typeof placeSchema>;
export type Advice = z.output<typeof adviceSchema>;
export type Explanation = z.output<typeof explanationSchema>;
