import { z } from 'zod';
import { scoreSchema } from '../candidate/score-json';

/** Verdicts of validate, and the reasons why a candidate has none. Only "pass" says that it is right. */
const verdicts = [
  'pass',
  'fail',
  'vacuous',
  'fault',
  'limit',
  'not-compiled',
  'not-launched',
  'error',
  'cancelled',
] as const;

const diagnosticSchema = z.object({
  file: z.string().describe('As the candidate names it; an absolute path for a header of the toolchain.'),
  line: z.int(),
  column: z.int().nullable(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
});

const worstSchema = z.object({
  where: z.string().describe('Parameter, else region or module variable.'),
  type: z.string().describe('Element type: "f32", "i64", ….'),
  elements: z.int(),
  wrong: z.int().describe('Elements that did not pass.'),
  max_abs_error: z.number().nullable(),
  max_rel_error: z.number().nullable(),
  max_ulp_error: z.number().nullable(),
  first: z
    .object({
      element: z.int(),
      expected: z.union([z.number(), z.string()]),
      actual: z.union([z.number(), z.string()]),
    })
    .nullable()
    .describe('The first wrong element.'),
});

const resourcesSchema = z.object({
  vector_registers: z.int().describe('Registers of a lane; of a thread on CUDA.'),
  scalar_registers: z.int().nullable(),
  spilled_vector: z.int().nullable().describe('Null in a cubin, which does not tell.'),
  private_bytes: z.int().nullable().describe('Private (local) memory of a lane; null if only a run knows.'),
  static_shared: z.int().describe('Bytes of static LDS (shared memory) of a block.'),
});

/** Digests (SHA-256) of all that decided a verdict. `verify-report` holds them against a reproducer. */
const decidedBySchema = z.object({
  kernloop: z.string().describe('Version.'),
  programs: z.record(z.string(), z.string()).describe('Native programs that replayed and compared.'),
  kernel_json: z.string().describe('"none" here, and for the other files that decide, is one that is not there.'),
  captures: z.array(z.object({ dispatch: z.int(), capture: z.string(), selfcheck: z.string() })),
  sources: z
    .record(z.string(), z.string())
    .describe(
      'Every file that the compilation could read, by name in the reproducer: no compiler tells all that it read.',
    ),
  outside: z
    .record(z.string(), z.string())
    .describe('Files of the workspace, but not of the reproducer, that were compiled, by path from the reproducer.'),
  recipe: z.string().describe('Of the captured command of the compiler, with its options.'),
  overlay: z
    .string()
    .describe('Of the places that the files of the reproducer have in the compilation; "none" for Triton.'),
  compiler: z.string().describe('Its version, in words.'),
  code_object: z.string().nullable().describe('Of the compiled candidate; null if there is none.'),
  configuration: z.unknown().describe('Macros and launch; null for those of the app.'),
  settings: z.record(z.string(), z.unknown()).describe('Options of validate that were in force.'),
  secret_inputs: z
    .object({ commitment: z.string().describe('SHA-256 of the draw from the secret of the judge.') })
    .nullable()
    .optional()
    .describe(
      'The derived inputs were drawn from the secret in the home of the judge and from captures, sources and configuration. Null if none were asked for; missing in reports of older versions, whose inputs anybody can derive.',
    ),
  device: z.object({ kind: z.string(), identity: z.string() }),
  sandboxed: z.boolean().describe('Whether the candidate was compiled in the sandbox.'),
});

export const judgementSchema = z
  .object({
    schema: z.literal('kernloop.judgement/1'),
    id: z.string(),
    kernel: z.string(),
    label: z.string().nullable(),
    verdict: z.enum(verdicts),
    summary: z.string().describe('The verdict in words, or the first error.'),
    error: z.string().nullable().describe('Error code, if the candidate has no verdict of validate.'),
    place: z.string().nullable().describe('FILE:LINE of what is wrong, if it is known.'),
    diagnostics: z.array(diagnosticSchema).describe('Errors and warnings of the compiler, at most 100.'),
    compared_bytes: z.int(),
    differing_bytes: z.int(),
    worst: z
      .array(worstSchema)
      .describe(
        'Arrays with wrong elements, the worst first, at most 16. Without values and errors if the input was a secret one.',
      ),
    races: z.array(z.string()).describe('Races that the captured code does not have, at most 16.'),
    derived_inputs: z
      .object({ judged: z.int(), dropped: z.int() })
      .nullable()
      .describe('Inputs derived from the captured one, by which it was judged as well.'),
    keeps_state: z.boolean().describe('Whether the variant keeps values in memory of its own from launch to launch.'),
    score: scoreSchema.nullable().describe('Only of what passes.'),
    ratio: z
      .number()
      .nullable()
      .describe(
        'Score over that of the captured code: below 1 is better. Time on hardware, wave-instructions on the software GPU.',
      ),
    resources: resourcesSchema.nullable(),
    decided_by: decidedBySchema.nullable().describe('Null if it was cancelled, or ended before it was compiled.'),
    durations_ms: z.object({ waited: z.number(), compile: z.number(), judge: z.number() }),
    from_cache: z.boolean().describe('The same files were judged before, under the same conditions.'),
    judged_at: z.string().describe('UTC, ISO 8601.'),
  })
  .meta({ title: 'judgement', description: 'Verdict of `kernloop judge` on one candidate.' });

/** Verdict on a candidate, with all that led to it. */
export type Judgement = z.output<typeof judgementSchema>;
export type Diagnostic = z.output<typeof diagnosticSchema>;
export type Worst = z.output<typeof worstSchema>;
export type DecidedBy = z.output<typeof decidedBySchema>;
