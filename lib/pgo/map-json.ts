import { z } from 'zod';
import { readJson } from '../support/schema';

const place = { line: z.int().optional(), column: z.int().optional(), file: z.string().optional() };

const mapFunctionSchema = z.looseObject({
  name: z.string().describe('In the profile.'),
  symbol: z.string().optional(),
  hash: z.string(),
  kernel: z.boolean().optional(),
  skipped: z.string().optional(),
  blocks: z.array(z.looseObject({ class: z.int(), ...place })).default([]),
  counters: z
    .array(
      z.looseObject({
        kind: z.string(),
        block: z.int(),
        class: z.int(),
        static_uniform: z.boolean().optional(),
        ...place,
      }),
    )
    .default([]),
  classes: z.array(z.looseObject({ blocks: z.array(z.int()), static_uniform: z.boolean().optional() })).default([]),
});

/** The plugin's record of what it instrumented (native/pgo/pass/README.md). */
const mapSchema = z.looseObject({
  schema: z.literal('kernloop.pgo-map/1'),
  module: z.string(),
  arch: z.string(),
  wave_size: z.int(),
  sampling: z.string(),
  functions: z.array(mapFunctionSchema),
});

export type PgoMap = z.output<typeof mapSchema>;
export type MapFunction = z.output<typeof mapFunctionSchema>;

export function readMap(path: string): PgoMap {
  return readJson(path, mapSchema, 'PGO_BUILD_MISSING', 'run `kernloop pgo-instrument`');
}
