import { z } from 'zod';
import { languages } from './options';

export const traceGenResultSchema = z.object({
  file: z.string(),
  language: z.enum(languages),
  maps: z.array(z.string()).describe('Those that it reads.'),
});

export type TraceGenResult = z.output<typeof traceGenResultSchema>;
