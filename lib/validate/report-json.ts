import { z } from 'zod';
import { keptStateSchema } from '../replay/kept-state';
import {
  comparedSchema,
  derivedSchema,
  differenceSchema,
  freeOrderSchema,
  straySchema,
  toleranceSchema,
  untouchedReadSchema,
} from '../replay/replay-events';

import { sanitizerTools } from './sanitizer-report';

const verdicts = ['pass', 'fail', 'vacuous', 'fault', 'limit'] as const;

/** A region or module variable that the kernel changed, or that differs. */
const comparedRegionSchema = comparedSchema.omit({ event: true }).extend({
  elements: z
    .array(
      toleranceSchema.omit({ event: true, region: true, variable: true }).extend({
        arguments: z
          .array(z.string())
          .optional()
          .describe('Names of the parameters that point to them; its counts of NaN and infinities are of these.'),
        replay: z
          .int()
          .optional()
          .describe('Number of the replay that the row is of, counted from 1; adverse comes last.'),
        fill: z
          .string()
          .optional()
          .describe(
            'The launch began with other values in memory that the captured code overwrites without reading it: "huge", "opposite" or "zeros".',
          ),
        in_any_replay: z
          .object({
            outside: z.int(),
            max_abs_error: z.number().nullable(),
            max_rel_error: z.number().nullable(),
            max_ulp_error: z.number().nullable(),
            fill: z.string().optional().describe('Only launches that began so have more than the row.'),
          })
          .optional()
          .describe('The most of all replays, where another one has more than the row.'),
      }),
    )
    .describe('What its elements of known types met in one replay.'),
});

const floatAtomicSchema = z.object({
  region: z.string(),
  offset: z.int().describe('Of the first one.'),
  address: z.string(),
  bytes: z.int(),
  instruction: z.string(),
  effect: z
    .enum(['none', 'unknown_memory'])
    .describe(
      'What it does on the real GPU: nothing, which fails; or not known, as the capture does not tell whether the memory is fine-grained.',
    ),
});

const pastLdsSchema = z.object({
  access: z.enum(['read', 'write']),
  instruction: z.string(),
  pc_offset: z.string().describe("From the kernel's entry."),
  source: z.string().nullable().describe('File and line, where the code has them.'),
  lds_offset: z.int().describe('Of the first lane that goes past the end.'),
  bytes: z.int(),
  text: z.string(),
  in_captured: z.boolean().describe('The captured code does the same, so that it is not judged.'),
});

const initializerSchema = z.looseObject({
  variable: z.string(),
  judged: z
    .enum(['variant', 'app', 'unknown'])
    .describe(
      "Whose value: the variant's, which the app never set; the app's, which may have set it; the variant's, where nobody knows.",
    ),
});

const counts = {
  compared_bytes: z.int(),
  changed_bytes: z.int().describe('Bytes in which the captured dispatch changed memory.'),
  ignored_bytes: z.int().describe('Bytes left out because their argument has the role "workspace" or "ignore".'),
  varying_bytes: z.int().describe('Bytes judged by the range that the self-check recorded.'),
  unjudged_bytes: z
    .int()
    .describe('Bytes left out because the order of waves decides what they hold (links of a list, places in a table).'),
  overwritten_bytes: z
    .int()
    .describe(
      'Bytes that the captured code overwrites without reading them: judged by launches that began with other values there as well.',
    ),
  rewritten_bytes: z
    .int()
    .describe('Of these, the bytes that the captured dispatch left as they were: they count as changed ones do.'),
  differing_bytes: z.int(),
  state: keptStateSchema
    .nullish()
    .describe('What the variant keeps from launch to launch; null where it keeps nothing.'),
};

const raceAccessSchema = z.object({
  access: z.enum(['read', 'write']),
  pc_offset: z.string().describe("From the kernel's entry."),
  instruction: z.string(),
  source: z.string().nullable().describe('File and line, where the code has them.'),
  workgroup: z.array(z.int()),
  wave: z.int(),
});

const raceSchema = z.object({
  kernel: z.string(),
  where: z.string().nullable().describe('Region, module variable or "LDS".'),
  offset: z.int().nullable(),
  address: z.string(),
  bytes: z.int(),
  accesses: z.array(raceAccessSchema).describe('The later one first.'),
  missing_wait: z
    .string()
    .optional()
    .describe('What is missing before the barrier between the two, which does not order them for that.'),
  stale_cache: z
    .string()
    .optional()
    .describe('The cache that may answer a load that waits in a loop with the value before the store for ever.'),
  text: z.string(),
});

const adverseSchema = z.object({
  seed: z.int(),
  verdict: z.string(),
  differing_bytes: z.int(),
  wave_instructions: z.int().describe('How many ran in the adverse order.'),
  of_wave_instructions: z.int().nullable(),
  findings: z.int().describe('Places at which the checks found a race.'),
  captured: z
    .object({ verdict: z.string(), findings: z.int() })
    .nullable()
    .describe('The same of the captured code, where that was asked: not held against a variant.'),
});

const races = {
  adverse: adverseSchema.nullable().optional().describe('The replay in the adverse order.'),
  races: z.array(raceSchema).optional().describe('Those that the captured code does not have.'),
};

const extent = z.array(z.int());
const launchSchema = z
  .object({
    grid: extent.describe('Blocks, as launched.'),
    block: extent.describe('Threads of a block, as launched.'),
    captured_grid: extent.describe('Blocks, as the app launched the kernel.'),
    captured_block: extent,
    dynamic_shared: z.int().nullable().describe("Bytes of dynamic shared memory. Null: the app's."),
    arguments: z.array(z.string()).describe("Scalar arguments that are not the app's: INDEX:TYPE=VALUE."),
  })
  .nullable()
  .describe(
    'Where kernel.json (configuration) or the source has the variant launched otherwise than the app does. Else null.',
  );

const inputsSchema = z
  .object({
    asked: z.int(),
    seed: z.int(),
    judged: z.int().describe('Inputs of which the captured code made something that the judged code was held against.'),
    dropped: z.int(),
    failed: z.int().nullable().describe('The number of the input for which the code is wrong (--inputs-only).'),
    reason: z.string().nullable().describe('Why none, or no further one, was judged.'),
    records: z
      .array(
        z.object({
          name: z.string(),
          record_bytes: z.int(),
          records: z.int(),
          moved_records: z
            .int()
            .describe('Places with another record in the judged input that has most of them; 0: none was judged.'),
          reason: z.string().nullable().describe('Why no input with its records in other places was judged.'),
        }),
      )
      .optional()
      .describe('Of --inputs-record.'),
    tried: z.array(derivedSchema.omit({ event: true }).extend({ changes: z.string().describe('In words.') })),
  })
  .describe('With --inputs: how the code did with inputs derived from the captured one.');

const delaysSchema = z
  .object({
    replays: z.int().describe('How many ran with random delays: fewer than were asked for after a failure.'),
    halves: z
      .int()
      .describe('How many more ran in which half of the blocks waited at one access: as many as there was time for.'),
    of_halves: z
      .int()
      .describe(
        'Of so many: four for each access to global memory, up to 16 of these (both halves, by two halvings), and for each atomic or flag that may overtake a store; 0 if the kernel has none.',
      ),
    sites: z.int().describe('Accesses to memory and barriers at which warps may wait.'),
    left: z.int().describe('Those in functions that are not inlined, at which none waits.'),
    judged: z.boolean(),
    reason: z.string().nullable().describe('Why it was not judged.'),
    seed: z.int().nullable().describe('Of the replay that differed.'),
    half: z
      .int()
      .nullable()
      .describe('The half of the blocks that waited in the replay that differed; null if warps waited at random.'),
    late_stores: z
      .boolean()
      .describe(
        'Whether these blocks did not wait, but their stores came behind an atomic or a flag: no fence orders them.',
      ),
    places: z
      .array(z.string())
      .describe(
        'The lines that race: where warps must wait for the result to differ, and the access that overtakes it, if it was found.',
      ),
  })
  .describe('On cuda: how the code did while warps or half of the blocks waited.');

const captured = {
  dispatch: z.int().describe('The number by which the dispatch was selected.'),
  capture: z.string().describe('Its folder, relative to the reproducer.'),
};

const selfcheck = z.enum(['verified', 'nondeterministic', 'order-dependent']);
const regions = z
  .array(comparedRegionSchema)
  .describe('What the kernel changed, and what differs; all else is equal. Each row is of one replay.');

/** Self-check fields of a captured dispatch. */
const sealOfSelfcheck = {
  selfcheck_sha256: z.string().describe('Of the selfcheck.json that was judged by.'),
  selfcheck_sealed: z
    .boolean()
    .describe('Whether that is known to be what the capture has left: older versions wrote no digest of its content.'),
};

const conditionedLineSchema = z.object({
  file: z.string(),
  line: z.int(),
  condition_line: z
    .int()
    .optional()
    .describe(
      'The unedited line of the `if` that decides whether this line counts; absent if it is in the line itself.',
    ),
});

const editedLinesSchema = z
  .object({
    edited: z.int().describe('Lines that were added or changed since extraction, in every file that was compiled.'),
    without_code: z
      .int()
      .describe(
        'Of these, the lines without instructions of their own: comments, or merged or dropped by the compiler.',
      ),
    not_run: z
      .array(z.object({ file: z.string(), line: z.int() }))
      .describe('Of these, the lines with instructions of which no replay executed one.'),
    partly_run: z
      .array(z.object({ file: z.string(), line: z.int(), column: z.int() }))
      .optional()
      .describe(
        'Of these, the lines of which only a part ran: no instruction of this column, such as a branch behind its condition.',
      ),
    selects: z
      .array(conditionedLineSchema)
      .optional()
      .describe(
        'Of the lines that ran as a whole, those that select a value without a condition, such as a minimum: which value was taken was not seen.',
      ),
    one_sided: z
      .array(conditionedLineSchema)
      .optional()
      .describe(
        'Of the lines that ran as a whole, those with a comparison or a selection that came out the same in every lane of every dispatch: the other side was not seen.',
      ),
    removed: z
      .array(
        z.object({
          file: z.string(),
          line: z.int().describe('Line of the edited source in front of which, or in place of which, it was.'),
          text: z.string().describe('The line that was removed.'),
        }),
      )
      .optional()
      .describe(
        'Lines with a condition or a selection that the edit removed, with none in their place: no replay tells whether they mattered elsewhere.',
      ),
    removed_lines: z
      .array(
        z.object({
          file: z.string(),
          line: z.int().describe('Line of the source before the edit, in pristine/.'),
          text: z.string(),
          seen: z
            .enum(['not run', 'partly run', 'one side', 'not told'])
            .describe(
              'Of its code in the captured dispatches: none ran; a part ran; a condition of it came out the same in every lane; it selects a value, and which was not told.',
            ),
          moved: z.literal(true).optional().describe('The line is at another place now.'),
        }),
      )
      .optional()
      .describe(
        'Lines that the edit removed or changed, besides `removed`, of which the captured dispatches show less than all: a replay of the captured code, whose lines are counted.',
      ),
    other_kernels: z
      .array(z.string())
      .optional()
      .describe(
        'Mangled names of other kernels that have code of the edit, if the machine code of the judged one is that of the captured kernel.',
      ),
    narrowed: z
      .array(
        z.object({
          file: z.string(),
          line: z.int(),
          kind: z
            .enum(['parameter', 'type'])
            .describe(
              '"parameter": a scalar that was read there is not, and had one value in all that was judged. "type": values there have fewer bits.',
            ),
          text: z.string().describe('The parameter, or the type, mask or remainder.'),
          change: z.enum(['put', 'removed']).describe('What the edit did with that text.'),
        }),
      )
      .optional()
      .describe('Lines by which the kernel may depend on less of its input: a pass with one input does not tell.'),
    outside: z
      .array(
        z.object({
          dispatch: z.int(),
          fault: z.string().describe('Text of the device.'),
          access: z.string().describe('The same in words: the access, and its distance to the nearest array.'),
          source: z.string().nullable().describe('File and line of the access; null if that is not known.'),
          next: z.string().nullable(),
        }),
      )
      .optional()
      .describe(
        'First access of each dispatch outside of its arrays, where the captured code makes none. It faults with --guard; without it, it found memory that nobody had closed.',
      ),
  })
  .describe('Counted in one more replay of each dispatch, with guard; where the variant has line information.');

const dispatchReportSchema = z.object({
  schema: z.literal('kernloop.report/1'),
  verdict: z.enum(verdicts),
  exit_code: z.int(),
  summary: z.string().describe('The result line without its verdict.'),
  kernel: z.string(),
  symbol: z.string(),
  code: z.enum(['captured', 'variant']),
  variant: z.string().nullable().describe('The code object, relative to the reproducer.'),
  code_object_sha256: z.string(),
  ...captured,
  capture_sha256: z.string(),
  selfcheck,
  ...sealOfSelfcheck,
  device: z.object({ kind: z.string(), identity: z.string() }),
  launch: launchSchema,
  ...counts,
  stray: z
    .array(straySchema)
    .optional()
    .describe('Where the variant writes what lay there already, and the captured code neither reads nor writes.'),
  untouched_reads: z
    .array(untouchedReadSchema)
    .optional()
    .describe('What the result depends on, and the captured code neither reads nor writes: 64 bytes around it were 0.'),
  short_records: z
    .array(
      z.object({
        target: z.string().describe('Region or variable.'),
        bytes: z.int().describe('Length of one record that --record or kernel.json gives.'),
        found_bytes: z.int().describe('Length of records that the replays of the self-check hold.'),
      }),
    )
    .optional()
    .describe('Record lengths that the user gives below one that the self-check found: their parts are judged apart.'),
  initializers: z
    .array(initializerSchema)
    .optional()
    .describe('Module variables whose initializer the variant changes, where there are any.'),
  float_atomics: z
    .array(floatAtomicSchema)
    .optional()
    .describe(
      'On the software GPU: regions where the variant uses floating-point atomics that do nothing on the real GPU, or may do nothing, and the captured code none.',
    ),
  past_lds: z
    .array(pastLdsSchema)
    .optional()
    .describe('On the software GPU: instructions that went past the end of LDS, where hardware goes on.'),
  free_order: z
    .array(freeOrderSchema.omit({ event: true }))
    .describe('Arrays that threads fill in any order: judged as records, each group by itself.'),
  tolerance: z
    .object({
      atol: z.number(),
      rtol: z.number(),
      ulp: z.int(),
      matched: z.number().describe('Share of the elements that must pass.'),
      nan: z.enum(['match', 'refuse', 'ignore']),
      inf: z.enum(['match', 'refuse', 'ignore']),
      policy: z.string().describe('What passes, in words.'),
      untyped: z
        .array(z.string())
        .describe('Regions that the kernel changed, compared byte by byte for want of a type.'),
      forced: z
        .array(z.string())
        .describe('What --force-dtype had judged by another type than that of the signature, in words.'),
    })
    .nullable()
    .describe('Null where every byte must be equal.'),
  usual_tolerance: z
    .object({
      ulp: z.number().describe('0 where an absolute tolerance is offered.'),
      atol: z.number().describe('0 where units in the last place are offered.'),
      beside: z
        .number()
        .nullable()
        .describe('With `atol`: the largest value of the app that the error was held against.'),
      dtypes: z.array(z.string()),
      max_abs_error: z.number().nullable(),
      max_rel_error: z.number().nullable(),
    })
    .optional()
    .describe(
      'Where not every byte is equal, none was asked for, and rounding explains the differences: this one would pass.',
    ),
  regions,
  differences: z.array(differenceSchema.omit({ event: true })),
  fault: z.string().nullable(),
  sanitizer: z
    .array(
      z.object({
        tool: z.enum(sanitizerTools),
        findings: z.array(
          z.object({
            kind: z.string().describe('What it is, wherever in the kernel.'),
            text: z.string().describe("The tool's words of the first of this kind."),
            count: z.int(),
            in_captured: z.boolean().describe('The captured code has it too, so that it is not judged.'),
          }),
        ),
      }),
    )
    .optional()
    .describe(
      'With --racecheck, --initcheck or --memcheck: what compute-sanitizer found in a replay of the code that was judged.',
    ),
  ...races,
  machine_in_use: z
    .object({
      seed: z.int(),
      judged: z.boolean().describe('False: the captured code itself gives another result there.'),
    })
    .nullable()
    .optional()
    .describe(
      'The launch as on a GPU that others use: small numbers where nobody wrote, clocks that have run for hours, any compute unit, a queue with other packets in it.',
    ),
  inputs: inputsSchema.optional(),
  delays: delaysSchema.optional(),
  replays: z.array(
    z.object({
      poison: z.string(),
      seed: z.int().nullable().describe('Null on hardware, which takes none.'),
      machine_in_use: z.literal(true).optional().describe('It was the launch on a machine in use that failed.'),
      verdict: z.string(),
      differing_bytes: z.int(),
      wave_instructions: z.int().nullable(),
    }),
  ),
});

export const reportSchema = dispatchReportSchema
  .extend({
    dispatches: z
      .array(
        z.object({
          ...captured,
          capture_sha256: z.string(),
          selfcheck,
          ...sealOfSelfcheck,
          verdict: z.enum(verdicts),
          summary: z.string(),
          launch: launchSchema,
          ...counts,
          regions,
          fault: z.string().nullable(),
          ...races,
          inputs: inputsSchema.optional(),
          delays: delaysSchema.optional(),
        }),
      )
      .describe(
        'Every captured dispatch that was judged, by number. What stands above is that of the worst, or of the first where all are the same.',
      ),
    not_judged: z
      .array(
        z.object({
          ...captured,
          kernel: z.string(),
          symbol: z.string(),
          reason: z
            .enum(['left out', 'another kernel'])
            .describe(
              '"left out": --capture names others. "another kernel" of the same selection: --capture judges one.',
            ),
        }),
      )
      .describe('Captured dispatches that were not judged.'),
    edited_lines: editedLinesSchema.optional(),
    unjudged_edit: z
      .string()
      .optional()
      .describe('An edited source, or a code object, beside the captured code that --variant none had judged instead.'),
  })
  .meta({ title: 'report.json', description: 'What validate found.' });

export type ComparedRegion = z.output<typeof comparedRegionSchema>;
export type DerivedInputs = z.output<typeof inputsSchema>;
export type Delays = z.output<typeof delaysSchema>;
export type EditedLines = z.output<typeof editedLinesSchema>;
export type OutsideAccess = NonNullable<EditedLines['outside']>[number];
export type FloatAtomicReport = z.output<typeof floatAtomicSchema>;
export type PastLdsReport = z.output<typeof pastLdsSchema>;
export type InitializerReport = z.output<typeof initializerSchema>;
export type Race = z.output<typeof raceSchema>;
export type RaceAccess = z.output<typeof raceAccessSchema>;
export type AdverseReport = z.output<typeof adverseSchema>;
export type DispatchReport = z.output<typeof dispatchReportSchema>;
export type Report = z.output<typeof reportSchema>;
export type Verdict = (typeof verdicts)[number];
