import { z } from 'zod';

export const pgoAppGenerateResultSchema = z.object({
  app: z.string(),
  folder: z.string().describe('Where the raw profiles are, absolute.'),
  files: z.array(z.string()).describe('A raw profile for each translation unit with device code, and process.'),
  host_files: z.array(z.string()).describe('A raw profile of the host code for each process, where that was counted.'),
});

export type PgoAppGenerateResult = z.output<typeof pgoAppGenerateResultSchema>;
