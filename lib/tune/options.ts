import { z } from 'zod';
import { replayingOptions } from '../replay/options';
import { validateOptionsSchema } from '../validate/options';

const { reproducer, capture, device, gpu, softgpu, store, launch, limitFactor } = replayingOptions;
const { atol, rtol, ulp, matchedRatio, nan, inf, dtype, replays, adverse, delays, record, inputsKeep } =
  validateOptionsSchema.shape;
const inputs = z
  .int()
  .min(0)
  .max(1000)
  .optional()
  .describe(
    'Also judge each candidate by this many inputs derived from the captured one: see --inputs of validate. 0 for none. Default: as kernel.json has validate; else only the best configuration is judged so, by 4, on the software GPU and where a replay executes at most 2 million wave-instructions.',
  );

/** Options of validate that decide how a candidate is judged; values in kernel.json for validate apply here too. */
export const judging = { atol, rtol, ulp, matchedRatio, nan, inf, dtype, record, inputs, inputsKeep };

export const tuneOptionsSchema = z.object({
  ...{ reproducer, capture, device, gpu, softgpu, store, launch, limitFactor },
  limitSeconds: z.number().min(0.001).default(10).describe('On hardware, end a replay of a candidate after this time.'),
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
  iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('On hardware, how many times to replay each candidate and the captured code, in turns. Default: 30.'),
  ...judging,
  replays,
  adverse,
  delays,
  fresh: z.boolean().default(false).describe('Build and measure everything again, ignoring results of earlier runs.'),
  apply: z
    .boolean()
    .default(false)
    .describe('Write the best configuration into the reproducer, show the diff, and validate it there.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End a compilation after this time.'),
});

export type TuneOptions = z.output<typeof tuneOptionsSchema>;
