import { z } from 'zod';
import { readJson } from '../support/schema';
import { count } from '../support/count';

const place = { line: z.int().optional(), file: z.string().optional() };

const machineBlockSchema = z.looseObject({
  number: z.int(),
  store_dwords: count,
  load_dwords: count,
  waves: count.nullable(),
  estimated: z.boolean().optional(),
  function: z.string().optional(),
  block: z.int().optional(),
  letter: z.string().optional(),
  lanes: count.nullish(),
  ...place,
});

const reportFunctionSchema = z.looseObject({
  name: z.string(),
  symbol: z.string(),
  hash: z.string(),
  profile: z.string(),
  pattern: z.string().optional(),
  machine_blocks: z.array(machineBlockSchema).default([]),
  spills: z.object({ store_dwords: count, load_dwords: count }).optional(),
  score: z.number().nonnegative().nullish(),
});

/** The plugin's report on code built with a profile (native/pgo/pass/README.md). */
const reportSchema = z.looseObject({
  schema: z.literal('kernloop.pgo-report/1'),
  arch: z.string(),
  functions: z.array(reportFunctionSchema),
});

export type PgoReport = z.output<typeof reportSchema>;
export type ReportFunction = z.output<typeof reportFunctionSchema>;

export function readReport(path: string): PgoReport {
  return readJson(path, reportSchema, 'PGO_BUILD_MISSING', 'run `kernloop pgo-build`');
}
