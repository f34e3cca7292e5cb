import { z } from 'zod';
import { traceOptions } from '../trace/options';

export const traceReadOptionsSchema = z.object({
  ...traceOptions,
  clockMhz: z
    .number()
    .positive()
    .optional()
    .describe('Clock rate of the device, for files exported by Iris whose processor is not known.'),
});

export type TraceReadOptions = z.output<typeof traceReadOptionsSchema>;
