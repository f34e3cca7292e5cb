import { z } from 'zod';
import { candidateReplaying, inputs, iterations, judging, trying } from '../candidate/options';

export const tuneOptionsSchema = z.object({
  ...candidateReplaying,
  set: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'A parameter and the values to try: "BLOCK=64,128,256". Triton: a name in CONSTEXPRS or OPTIONS. C++: a constant or macro of the source, a macro to compile with, a scalar argument, or a name in the launch formulas. Default for Triton: the configurations of its own @triton.autotune.',
    ),
  constraint: z
    .array(z.string().min(1))
    .default([])
    .describe('Only try configurations that meet this condition: "BLOCK % num_warps == 0 and BLOCK * 4 <= 65536".'),
  grid: z
    .string()
    .min(1)
    .optional()
    .describe(
      'C++: blocks to launch, as a formula X[,Y[,Z]] ("ceil(n / BLOCK)"). Default: enough blocks for the captured threads. Triton: grid() of reproducer.py decides.',
    ),
  block: z.string().min(1).optional().describe('C++: threads per block, as a formula X[,Y[,Z]].'),
  dynamicShared: z
    .string()
    .min(1)
    .optional()
    .describe('C++: bytes of dynamic shared memory (LDS) per block, as a formula.'),
  argument: z
    .array(z.string().regex(/^[^=]+=.+$/, 'must be NAME=FORMULA'))
    .default([])
    .describe('C++: another value for a scalar argument, NAME=FORMULA.'),
  search: z
    .enum(['grid', 'random'])
    .default('grid')
    .describe('grid: try every configuration. random: try a random sample.'),
  samples: z.int().min(1).max(100_000).default(50).describe('Number of configurations the random search tries.'),
  seed: z.int().min(0).default(1).describe('Seed of the random search.'),
  maxCandidates: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe('Refuse to search a grid with more configurations than this.'),
  jobs: z.int().min(1).max(256).optional().describe('Number of parallel compilations. Default: one for each core.'),
  iterations,
  ...judging,
  inputs: inputs.describe(
    'Also judge each candidate by this many inputs derived from the captured one: see --inputs of validate. 0 for none. Default: as kernel.json has validate; else only the best configuration is judged so, by 4, on the software GPU and where a replay executes at most 2 million wave-instructions.',
  ),
  ...trying,
  fresh: z.boolean().default(false).describe('Build and measure everything again, ignoring results of earlier runs.'),
  apply: z
    .boolean()
    .default(false)
    .describe('Write the best configuration into the reproducer, show the diff, and validate it there.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End a compilation after this time.'),
});

export type TuneOptions = z.output<typeof tuneOptionsSchema>;
