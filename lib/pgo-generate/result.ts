import { z } from 'zod';

const dispatchSchema = z.object({
  dispatch: z.int(),
  capture: z.string().describe('Its folder, relative to the reproducer.'),
  verdict: z.string().describe('Whether the instrumented code left in memory what the app computed.'),
  wave_instructions: z.int().nullable().describe('Of the instrumented code; null on hardware.'),
  captured_wave_instructions: z.int().nullable(),
  files: z.array(z.string()).describe('Raw profiles, relative to pgo/raw, the .profraw first.'),
});

export const reproducerProfilesSchema = z.object({
  subject: z.literal('reproducer'),
  kernel: z.string(),
  folder: z.string().describe('Where the raw profiles are, absolute.'),
  arch: z.string(),
  wave_size: z.int(),
  sampling: z.string(),
  instrumented_sha256: z.string(),
  dispatches: z.array(dispatchSchema),
  exit_code: z.int(),
});

export const appProfilesSchema = z.object({
  subject: z.literal('app'),
  app: z.string(),
  folder: z.string().describe('Where the raw profiles are, absolute.'),
  files: z.array(z.string()).describe('A raw profile for each translation unit with device code, and process.'),
  host_files: z.array(z.string()).describe('A raw profile of the host code for each process, where that was counted.'),
});

export type ReproducerProfiles = z.output<typeof reproducerProfilesSchema>;
export type AppProfiles = z.output<typeof appProfilesSchema>;

/** raw/generate.json, for later stages and people. */
export interface GenerateJson {
  schema: 'kernloop.pgo-generate/1';
  kernel: string;
  symbol: string;
  arch: string;
  wave_size: number;
  sampling: string;
  instrumented_sha256: string;
  device: { kind: string; identity: string };
  dispatches: { dispatch: number; capture_sha256: string; verdict: string; files: string[] }[];
}
