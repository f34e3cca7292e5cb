import { z } from 'zod';

export const initResultSchema = z.object({
  file: z.string().describe('The kernloop.json, absolute.'),
  written: z.boolean().describe('False where one was there already and stays as it is.'),
  config: z.record(z.string(), z.unknown()).describe('Its content, as schemas/kernloop.schema.json describes it.'),
});

export type InitResult = z.output<typeof initResultSchema>;
