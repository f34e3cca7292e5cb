import { z } from 'zod';
import { traceOptions } from '../trace/options';

export const traceReadOptionsSchema = z.object({
  ...traceOptions,
  clockMhz: z
    .number()
    .positive()
    .optional()
    .describe(
      "Of a file that Iris exported: the rate of the device's clock, where that of its processor is not known.",
    ),
});

export type TraceReadOptions = z.output<typeof traceReadOptionsSchema>;
