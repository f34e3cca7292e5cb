import { z } from 'zod';

export const recompileResultSchema = z.object({
  kernel: z.string(),
  code_object: z.string().describe('The file that was built, absolute.'),
  code_object_sha256: z.string(),
  unchanged: z.boolean().describe('The code is the captured one, byte for byte.'),
  sources: z.array(z.string()).describe('Every file of the reproducer that went into it.'),
});

export type RecompileResult = z.output<typeof recompileResultSchema>;
