import { z } from 'zod';
import { count } from '../support/count';

const measuredSchema = z.object({
  launches: count,
  kernels: z.array(z.string()),
  profile: z.string(),
  known: z.boolean().describe('A profile within the bound was there already, and its code is used.'),
  gate: z.string().describe('Of the code that is used from then on; base: no weights; empty where there is none.'),
});

const sampledSchema = z.object({
  launches: count,
  distance: z.number().describe('From the profile, in percent.'),
  changed: z.boolean().describe('Beyond the bound: measured again.'),
});

const refusedSchema = z.object({ code: z.string(), reason: z.string() });

const programSchema = z.object({
  name: z.string().describe('As the app called it.'),
  folder: z.string().nullable().describe('What the cache has of it, absolute; null where nothing is kept.'),
  profile: z.string().nullable().describe('The profile that was known when it was loaded.'),
  own: count.describe('Launches of the code that the app compiled.'),
  counting: count.describe('Launches of code with counters.'),
  production: count.describe('Launches of code that was made by a profile.'),
  measured: z.array(measuredSchema),
  sampled: z.array(sampledSchema),
  refused: z.array(refusedSchema).describe('Why it ran as the app compiled it, where it did.'),
});

const builtSchema = z.object({
  folder: z.string(),
  target: z.string(),
  instrumented: z.boolean().describe('Code with counters is there.'),
  profiles: z.int().describe('Profiles that were measured, and whose code is there.'),
  problem: z.string().nullable(),
});

export const pgoRuntimeResultSchema = z.object({
  app: z.string(),
  cache: z.string(),
  processes: count,
  programs: z.array(programSchema),
  built: z.array(builtSchema).describe('With --phase build: what the cache has now of each program.'),
});

export type PgoRuntimeResult = z.output<typeof pgoRuntimeResultSchema>;
export type RuntimeProgram = z.output<typeof programSchema>;
