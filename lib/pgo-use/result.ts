import { z } from 'zod';
import { keptVariantSchema } from '../reproducer/optimized-variant';

const figuresSchema = z.object({
  wave_instructions: z.number().nullable().describe('Executed by all captured dispatches; null on hardware.'),
  scratch_wave_dwords: z
    .int()
    .nullable()
    .describe('Dwords of private memory that its instructions moved, once for each wave; null on hardware.'),
  time_ratio: z.number().nullable().describe('On hardware: its time over that of the captured code.'),
  time_ci95: z.object({ low: z.number(), high: z.number() }).nullable(),
});

const variantSchema = figuresSchema.extend({
  name: z.string(),
  file: z.string().describe('Relative to the reproducer.'),
  sha256: z.string(),
  verdict: z.string().describe('Of validate: whether it leaves in memory what the app computed.'),
  summary: z.string(),
  spill_dwords: z.int().nullable(),
  score: z
    .number()
    .nullable()
    .describe('The static selector: spilled dwords times measured wave visits; lower is better.'),
  judgement: z.string().describe('Why it was kept, or why not.'),
});

/** Content of pgo/choice.json, and result of the stage. */
export const pgoUseResultSchema = z
  .object({
    schema: z.literal('kernloop.pgo-choice/1'),
    kernel: z.string(),
    key: z
      .string()
      .describe('Of all that decides the choice; empty where times were measured, which are never reused.'),
    profile_sha256: z.string(),
    compiler: z.string(),
    device: z.object({ kind: z.string(), identity: z.string() }),
    captured: figuresSchema,
    variants: z.array(variantSchema),
    kept: z
      .string()
      .nullable()
      .describe('The variant that is better than the captured code and than base; null for none.'),
    selector: z.string().nullable().describe('Which one the static selector would have taken, without a replay.'),
    reason: z.string(),
    placed: keptVariantSchema
      .nullable()
      .describe('Where it was put for validate and replay to find; null where it was not.'),
  })
  .meta({ title: 'choice.json', description: 'What pgo-use compared, and what it kept.' });

export type PgoUseResult = z.output<typeof pgoUseResultSchema>;
export type JudgedVariant = z.output<typeof variantSchema>;
export type Figures = z.output<typeof figuresSchema>;
