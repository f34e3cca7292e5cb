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

const choice = {
  schema: z.literal('kernloop.pgo-choice/1'),
  profile_sha256: z.string(),
  compiler: z.string(),
  device: z.object({ kind: z.string(), identity: z.string() }),
  reason: z.string(),
} as const;

/** Content of choice.json, and result of the stage. */
export const chosenVariantSchema = z
  .object({
    subject: z.literal('reproducer'),
    ...choice,
    kernel: z.string(),
    key: z
      .string()
      .describe('Of all that decides the choice; empty where times were measured, which are never reused.'),
    captured: figuresSchema,
    variants: z.array(variantSchema),
    kept: z
      .string()
      .nullable()
      .describe('The variant that is better than the captured code and than base; null for none.'),
    selector: z.string().nullable().describe('Which one the static selector would have taken, without a replay.'),
    placed: keptVariantSchema
      .nullable()
      .describe('Where it was put for validate and replay to find; null where it was not.'),
  })
  .meta({ title: 'choice.json', description: 'What pgo-use compared, and what it kept.' });

const kernelSchema = z.object({
  name: z.string(),
  symbol: z.string(),
  dispatches: z.int(),
  total: z
    .number()
    .describe('Wave-instructions of all dispatches; on hardware ns of GPU time, the median of all runs.'),
});

const buildSchema = z.object({
  name: z.string().describe('own: as the app builds itself; base: clang 22 without a profile; the others by the gate.'),
  program: z.string().describe('Absolute.'),
  sha256: z.string(),
  right: z.boolean().describe('It ended as the app does, and wrote the same.'),
  total: z.number(),
  least: z
    .number()
    .describe(
      'Of all runs: on hardware a build is better only where its slowest run is below the fastest of the other.',
    ),
  most: z.number(),
  kernels: z.array(kernelSchema),
  judgement: z.string(),
});

export const chosenBuildSchema = z.object({
  subject: z.literal('app'),
  ...choice,
  app: z.string(),
  builds: z.array(buildSchema),
  kept: z
    .string()
    .nullable()
    .describe('The build that executes less, or is faster, than the app as it is and than base; null for none.'),
});

export type ChosenVariant = z.output<typeof chosenVariantSchema>;
export type ChosenBuild = z.output<typeof chosenBuildSchema>;
export type AppBuildResult = z.output<typeof buildSchema>;
export type JudgedVariant = z.output<typeof variantSchema>;
export type Figures = z.output<typeof figuresSchema>;
