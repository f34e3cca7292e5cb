import { z } from 'zod';
import { scoreSchema } from '../candidate/score-json';
import { valueSchema } from '../reproducer/configuration';

/** Statuses of a candidate: the verdicts of validate, and the reasons why it has none. */
export const statuses = ['pass', 'fail', 'vacuous', 'fault', 'limit', 'not-compiled', 'not-launched'] as const;

export const inputsSchema = z.object({
  judged: z.int().describe('Inputs of which the captured code made something that the candidate was held against.'),
  dropped: z.int().describe('Inputs that the captured code cannot take.'),
});

const candidateSchema = z.object({
  key: z.string().describe('Of all that decides it; the name of its file in build/tune/candidates.'),
  is_base: z.boolean().describe('The source as it is.'),
  parameters: z
    .record(z.string(), valueSchema)
    .describe('Empty for the source as it is, where that has not one of these values.'),
  status: z.enum(statuses),
  reason: z.string().describe('The summary of the verdict, or the error.'),
  score: scoreSchema.nullable().describe('Only of what passes.'),
  ratio: z.number().nullable().describe('Its score over that of the base, which has 1; null where either has none.'),
  code_object_sha256: z.string().nullable(),
  from_cache: z.boolean().describe('Of an earlier run.'),
});

export const tuneResultSchema = z
  .object({
    schema: z.literal('kernloop.tune/1'),
    kernel: z.string(),
    device: z.object({ kind: z.string(), identity: z.string() }),
    scored_by: z.enum(['wave_instructions', 'duration_ns']),
    dispatches: z.array(z.int()).describe('Captured dispatches that every candidate was judged and scored with.'),
    space: z.object({
      parameters: z.array(z.object({ name: z.string(), values: z.array(valueSchema), kind: z.string() })),
      constraints: z.array(z.string()),
      search: z.enum(['grid', 'random']),
      seed: z.int().nullable(),
      configurations: z.int().describe('Of the whole grid, before constraints.'),
      excluded: z.int().nullable().describe('By the constraints; null for a random search, which does not count them.'),
    }),
    captured: scoreSchema.nullable().describe('The captured code, beside the candidates.'),
    candidates: z.array(candidateSchema).describe('Best first.'),
    best: z
      .string()
      .nullable()
      .describe(
        'Key of the best candidate that passes and is better than the source as it is, judged and measured once more at the end; null for none.',
      ),
    best_inputs: inputsSchema
      .nullish()
      .describe(
        'Derived inputs that the best candidate was judged by, of all dispatches together. Null for none: without a best candidate, with --inputs 0, on hardware, or because its replay is too long for the default. Older results have none.',
      ),
    reason: z.string(),
    evaluated: z.int(),
    from_cache: z.int(),
    files: z.object({
      result: z.string(),
      plot: z.string(),
      svg: z.string(),
      patch: z.string().nullable().describe('The best configuration as a patch of the reproducer.'),
    }),
    applied: z.array(z.string()).describe('Files that --apply wrote.'),
  })
  .meta({ title: 'tune.json', description: 'What tune tried, and what came of it.' });

export type TuneResult = z.output<typeof tuneResultSchema>;
export type Candidate = z.output<typeof candidateSchema>;
