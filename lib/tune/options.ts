import { z } from 'zod';
import { replayingOptions } from '../replay/options';
import { validateOptionsSchema } from '../validate/options';

const { reproducer, capture, device, gpu, softgpu, store, launch, limitFactor } = replayingOptions;
const { atol, rtol, ulp, matchedRatio, nan, inf, dtype, replays, adverse, record } = validateOptionsSchema.shape;

/** Options that say how a candidate is judged: those of validate, which hold here too where kernel.json gives them to it. */
export const judging = { atol, rtol, ulp, matchedRatio, nan, inf, dtype, record };

export const tuneOptionsSchema = z.object({
  ...{ reproducer, capture, device, gpu, softgpu, store, launch, limitFactor },
  limitSeconds: z.number().min(0.001).default(10).describe('On hardware, end a replay of a candidate after this time.'),
  set: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'A parameter and the values to try: "BLOCK=64,128,256". Of Triton one of CONSTEXPRS or OPTIONS; of C++ a constant or macro of the source, a macro to compile it with, a scalar argument, or a name in the formulas of the launch.',
    ),
  constraint: z
    .array(z.string().min(1))
    .default([])
    .describe('A condition that every configuration has to fulfil: "BLOCK % num_warps == 0 and BLOCK * 4 <= 65536".'),
  grid: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Of C++: blocks to launch, a formula X[,Y[,Z]] ("ceil(n / BLOCK)"); if left out and the block is another, as many as hold the captured threads. Of Triton, grid() of reproducer.py says it.',
    ),
  block: z.string().min(1).optional().describe('Of C++: threads of a block, a formula X[,Y[,Z]].'),
  dynamicShared: z
    .string()
    .min(1)
    .optional()
    .describe('Of C++: bytes of dynamic shared memory (LDS) of a block, a formula.'),
  argument: z
    .array(z.string().regex(/^[^=]+=.+$/, 'must be NAME=FORMULA'))
    .default([])
    .describe('Of C++: another value for a scalar argument, NAME=FORMULA.'),
  search: z.enum(['grid', 'random']).default('grid').describe('Try every configuration, or some that a seed draws.'),
  samples: z.int().min(1).max(100_000).default(50).describe('How many the random search draws.'),
  seed: z.int().min(0).default(1).describe('Of the random search.'),
  maxCandidates: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe('Refuse a full grid of more configurations than these.'),
  jobs: z.int().min(1).max(256).optional().describe('Compilations at a time; as many as there are cores, if left out.'),
  iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('On hardware, how often each candidate and the captured code are replayed in turns; 30 if left out.'),
  ...judging,
  replays,
  adverse,
  fresh: z.boolean().default(false).describe('Build and measure also what earlier runs have done.'),
  apply: z
    .boolean()
    .default(false)
    .describe('Write the best configuration into the reproducer, show the difference, and validate it there.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End a compilation after this time.'),
});

export type TuneOptions = z.output<typeof tuneOptionsSchema>;
