import { z } from 'zod';
import { deviceOptions } from '../device/options';
import { rebuildingOptions } from '../pgo-app-instrument/options';
import { gates } from '../pgo/layout';

export const pgoAppUseOptionsSchema = z.object({
  ...rebuildingOptions,
  ...deviceOptions,
  gate: z
    .array(z.enum(gates))
    .default([...gates])
    .describe('Which gates of spill placement to build and to choose from.'),
  timeLimitSeconds: z.number().min(0).default(0).describe('End each run of the app after this time; 0 is no limit.'),
});

export type PgoAppUseOptions = z.output<typeof pgoAppUseOptionsSchema>;
