import { z } from 'zod';
import { kernloopJsonSchema } from '../app/kernloop-json';

export const initResultSchema = z.object({
  file: z.string().describe('The kernloop.json, absolute.'),
  written: z.boolean().describe('False where one was there already: it stays as it is.'),
  config: kernloopJsonSchema.describe('Its content.'),
});

export type InitResult = z.output<typeof initResultSchema>;
