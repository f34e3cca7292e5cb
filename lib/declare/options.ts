import { z } from 'zod';
import { dispatchesForm } from '../app/dispatches';
import { nameSchema, selectionShape } from '../app/kernloop-json';

export const declareOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  name: nameSchema.describe(
    'Name of the kernel: its folder in kernels/<app>/, and suffix of its Nx targets. Also the function, if match is left out.',
  ),
  ...selectionShape,
  // A flag is text.
  dispatch: z
    .string()
    .optional()
    .describe(`Which of the matching dispatches to capture, instead of "ordinal": ${dispatchesForm}.`),
  // An invalid expression is refused by the stage, which knows the kernels that it may mean.
  match: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Regular expression (ECMAScript), searched for in the demangled and in the mangled kernel name. Default: functions with exactly the given name.',
    ),
  from: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where its capture comes from, if it is none of this app: a packed file, or a folder. No run of the app takes its place.',
    ),
  force: z
    .boolean()
    .default(false)
    .describe(
      "Declare it even if the program's device code has no such kernel, as where code is loaded while it runs.",
    ),
});

export type DeclareOptions = z.output<typeof declareOptionsSchema>;
