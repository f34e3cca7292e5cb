import { z } from 'zod';
import { nameSchema } from '../app/kernloop-json';
import { captureOptionsSchema } from '../capture/options';
import { generateOptionsSchema } from '../generate/options';
import { appRunOptions } from '../app/run-options';

const reset = z
  .boolean()
  .default(false)
  .describe('Bring files that differ back to what was generated; files that are not in pristine/ stay.');

export const adoptOptionsSchema = z.object({
  reproducer: z.string().default('.').describe('Folder of the reproducer: the one with pristine/.'),
  reset,
});

export type AdoptOptions = z.output<typeof adoptOptionsSchema>;

const { selfCheck, maxBytes, inlineLimitBytes, memoryBytes, drainLimitMs, runLimitMs, store } =
  captureOptionsSchema.shape;
const { translationUnit, define, language, compileLimitSeconds } = generateOptionsSchema.shape;

export const extractOptionsSchema = z.object({
  ...appRunOptions,
  kernel: z
    .array(nameSchema)
    .default([])
    .describe('Kernels of kernloop.json to extract; all declared ones if left out.'),
  reset,
  recapture: z
    .boolean()
    .default(false)
    .describe('Capture again even where a complete capture of the same program and selection is there.'),
  ...{ selfCheck, maxBytes, inlineLimitBytes, memoryBytes, drainLimitMs, runLimitMs, store },
  ...{ translationUnit, define, language, compileLimitSeconds },
});

export type ExtractOptions = z.output<typeof extractOptionsSchema>;
