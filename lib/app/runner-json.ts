import { z } from 'zod';

/** Options that Kernloop itself passes to srun and sbatch: another value would break a running job. */
const ownOptions = [
  ...['job-name', 'nodes', 'ntasks', 'chdir', 'export', 'export-file', 'input', 'output', 'error', 'array', 'wait'],
  ...['parsable', 'wrap', 'requeue', 'no-requeue', 'jobid', 'multi-prog', 'pty', 'no-shell', 'immediate', 'test-only'],
  // Job state is not queried on another cluster, and labelled lines would not be recognized.
  ...['clusters', 'label'],
];
const ownLetters = 'JNnDioeaWIhVMl';

const extraArgument = z
  .string()
  .regex(/^-/, 'an argument and its value are one string: "--mem=8G"')
  .refine((text) => !isOwn(text), 'Kernloop gives this argument itself');

const name = z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable');
/** Each option is written as --name=value, so no value is taken for another argument. */
const value = z.string().min(1);

export const slurmRunnerSchema = z
  .strictObject({
    partition: value.optional().describe('Where jobs go; the default partition of the cluster if left out.'),
    gres: value.optional().describe('Generic resources of a job, "gpu:h100:1": the GPU and its type.'),
    time: z
      .string()
      .regex(/^\d[\d:-]*$/, 'a time of Slurm: "30" (minutes), "1:30:00", "1-12"')
      .optional()
      .describe('Limit of a job; that of the partition if left out.'),
    account: value.optional(),
    qos: value.optional(),
    constraint: value.optional().describe('Features that the node has to have.'),
    extra: z
      .array(extraArgument)
      .default([])
      .describe('More arguments of srun and sbatch, one string each: "--mem=8G". No shell reads them.'),
    export: z
      .array(name)
      .default([])
      .describe('Variables that jobs get beside the usual ones and KERNLOOP_* (docs/slurm.md lists them).'),
    queueMinutes: z
      .number()
      .positive()
      .max(30_000)
      .default(60)
      .describe('A job that has not begun after so long is cancelled, and the task ends with SLURM_QUEUE_WAIT.'),
    retries: z
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe('How often a job is submitted again that was lost without a fault of its own: node, preemption.'),
    tuneJobs: z
      .int()
      .min(1)
      .max(200)
      .default(4)
      .describe('Tasks of the job array that judge the candidates of a tune.'),
  })
  .describe('Jobs of Slurm, one for each task that needs the device.');

export const runnerSchema = z.strictObject({ slurm: slurmRunnerSchema });

export type SlurmRunner = z.output<typeof slurmRunnerSchema>;

/** getopt takes any unambiguous prefix of a name. */
function isOwn(text: string): boolean {
  const long = /^--([^=]*)/.exec(text)?.[1];
  if (long !== undefined)
    return long === '' || ownOptions.some((own) => own === long || (long.length > 1 && own.startsWith(long)));
  return text === '-' || ownLetters.includes(text.charAt(1));
}
