import { z } from 'zod';

const files = z.array(z.string());

export const adoptResultSchema = z.object({
  reproducer: z.string().describe('Absolute.'),
  written: files.describe('Files that were not there and now are, relative to the reproducer.'),
  updated: files.describe(
    'kernel.json, where it named an older code object of the same kernel as the captured one; files that were brought up to date because they were as in an earlier pristine/.',
  ),
  different: files.describe('Files that differ from pristine/ and were left as they are.'),
  reset: files.describe('Files that differed and were brought back.'),
});

export type AdoptResult = z.output<typeof adoptResultSchema>;
