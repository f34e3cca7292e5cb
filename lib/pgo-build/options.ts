import { z } from 'zod';
import { compileLimitSeconds, linkArgument } from '../pgo-instrument/options';
import { gates } from '../pgo/layout';

export const buildReproducerSchema = z.object({ reproducer: z.string().default('.'), compileLimitSeconds });

export const buildAppSchema = z.object({
  app: z.string().default('.'),
  ...{ linkArgument, compileLimitSeconds },
  gate: z
    .array(z.enum(gates))
    .default([...gates])
    .describe('Spill-placement gates to build, for pgo-use to choose from. Not for CUDA.'),
});

export type BuildReproducerOptions = z.output<typeof buildReproducerSchema>;
export type BuildAppOptions = z.output<typeof buildAppSchema>;
