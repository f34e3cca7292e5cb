import { z } from 'zod';
import { rebuildingOptions } from '../pgo-app-instrument/options';
import { gates } from '../pgo/layout';

export const pgoAppBuildOptionsSchema = z.object({
  ...rebuildingOptions,
  gate: z
    .array(z.enum(gates))
    .default([...gates])
    .describe('Spill-placement gates to build, for pgo-app-use to choose from. Not for CUDA.'),
});

export type PgoAppBuildOptions = z.output<typeof pgoAppBuildOptionsSchema>;
