import { z } from 'zod';

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

export const pgoAppUseResultSchema = z.object({
  schema: z.literal('kernloop.pgo-app-choice/1'),
  app: z.string(),
  profile_sha256: z.string(),
  compiler: z.string(),
  device: z.object({ kind: z.string(), identity: z.string() }),
  builds: z.array(buildSchema),
  kept: z
    .string()
    .nullable()
    .describe('The build that executes less, or is faster, than the app as it is and than base; null for none.'),
  reason: z.string(),
});

export type PgoAppUseResult = z.output<typeof pgoAppUseResultSchema>;
export type AppBuildResult = z.output<typeof buildSchema>;
