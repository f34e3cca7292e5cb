import { z } from 'zod';
import { candidateReplaying, inputs, iterations, judging, trying } from '../candidate/options';
import { deviceKinds } from '../device/kinds';

const { reproducer: _reproducer, device: _device, gpu, store, ...replaying } = candidateReplaying;

/** Options that decide a verdict, beside those of the reproducer; `verify-report` takes them as well. */
export const decidingSettings = {
  device: z.enum(deviceKinds).optional().describe('Where candidates run. Default: the kind that each capture is from.'),
  ...replaying,
  ...judging,
  inputs: inputs.describe(
    'Also judge what passes by this many inputs derived from the captured one: see --inputs of validate. 0: none. Default: as kernel.json has validate, else 4 (0 with --launch hip), so that results written into a candidate do not pass.',
  ),
  ...trying,
};

export type DecidingSettings = z.output<z.ZodObject<typeof decidingSettings>>;

/** Options of a judge, whoever asks it. */
export const judgeSettings = {
  reproducer: z
    .array(z.string().min(1))
    .default(['.'])
    .describe(
      'Folder of a reproducer to judge candidates of. May be given several times. Default: the working folder.',
    ),
  gpu,
  store,
  ...decidingSettings,
  iterations,
  jobs: z
    .int()
    .min(1)
    .max(256)
    .optional()
    .describe('Number of candidates at work at a time. Default: one for each core. A GPU takes one at a time.'),
  compileLimitSeconds: z.number().positive().max(3600).default(60).describe('End a compilation after this time.'),
  runLimitSeconds: z
    .number()
    .positive()
    .max(86_400)
    .default(600)
    .describe(
      'End a replay of a candidate after this wall time: the verdict is `limit`. A candidate may ask for less, and for lower limits of its compilation.',
    ),
  compileLimitMemoryMib: z
    .int()
    .min(256)
    .default(8192)
    .describe('End a compilation that takes more memory than this, in MiB. Only in the sandbox.'),
  unsandboxed: z
    .boolean()
    .default(false)
    .describe('Compile candidates without the sandbox: for sources that you trust as your own. The verdict says so.'),
  home: z
    .string()
    .optional()
    .describe(
      'Folder of the key, the accepted candidates and the verdicts. Default: kernloop/judge in the cache folder of the user.',
    ),
  fresh: z.boolean().default(false).describe('Judge again what was judged before.'),
};

export const judgeOptionsSchema = z.object({
  candidate: z
    .array(z.string().min(1))
    .min(1)
    .describe(
      'What to judge: a source in place of kernel_variant.*, a folder of files that replace those of the reproducer, or a JSON document (kernloop.candidate/1).',
    ),
  kernel: z.string().min(1).optional().describe('Kernel that the candidates are variants of, if several are judged.'),
  ...judgeSettings,
  reports: z.string().min(1).optional().describe('Folder to write the signed reports to. Default: in the home.'),
});

export type JudgeOptions = z.output<typeof judgeOptionsSchema>;
export type JudgeSettings = z.output<z.ZodObject<typeof judgeSettings>>;
