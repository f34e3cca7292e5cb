import { z } from 'zod';

export const pgoAppGenerateResultSchema = z.object({
  app: z.string(),
  folder: z.string().describe('Where the raw profiles are, absolute.'),
  files: z.array(z.string()).describe('A raw profile for each translation unit and process.'),
});

export type PgoAppGenerateResult = z.output<typeof pgoAppGenerateResultSchema>;
