import { z } from 'zod';
import { captureOptionsSchema } from '../capture/options';
import { generateOptionsSchema } from '../generate/options';
import { reset } from '../adopt/options';
import { appRunOptions, command } from '../app/run-options';

const { selfCheck, shrink, maxBytes, inlineLimitBytes, memoryBytes, drainLimitMs, runLimitMs, untrackedMemory, store } =
  captureOptionsSchema.shape;
const { translationUnit, define, language, compileLimitSeconds } = generateOptionsSchema.shape;

export const extractOptionsSchema = z.object({
  ...appRunOptions,
  command,
  kernel: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Kernels to extract, by their names in kernloop.json, or by regular expressions that fit one name each; of a command, also by function name. Default: all of them; of a command, the costliest.',
    ),
  reset,
  recapture: z
    .boolean()
    .default(false)
    .describe('Capture again even if there is a complete capture of the same program and selection.'),
  ...{ selfCheck, shrink, maxBytes, inlineLimitBytes, memoryBytes, drainLimitMs, runLimitMs, untrackedMemory, store },
  ...{ translationUnit, define, language, compileLimitSeconds },
});

export type ExtractOptions = z.output<typeof extractOptionsSchema>;
