import { z } from 'zod';

export const recompileResultSchema = z.object({
  kernel: z.string(),
  codeObject: z.string().describe('The file that was built, absolute.'),
  codeObjectSha256: z.string(),
  unchanged: z.boolean().describe('The code is the captured one, byte for byte.'),
  sources: z.array(z.string()).describe('Every file of the reproducer that went into it.'),
});

export type RecompileResult = z.output<typeof recompileResultSchema>;
