import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../support/schema';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Module and qualified name of a function: `kernels.math`, `make.<locals>.kernel`. */
const placeSchema = z.object({ module: z.string(), qualname: z.string() });

/**
 * A Python value: an expression that yields it, another compiled function, or a description of a value that cannot be
 * written down.
 */
const tritonValueSchema = z.union([
  z.object({ python: z.string() }),
  z.object({ function: placeSchema }),
  z.object({ unknown: z.string() }),
]);

/** The value in Python syntax; the description if it cannot be written down. */
export function shownValue(value: TritonValue): string {
  if ('python' in value) return value.python;
  return 'function' in value ? value.function.qualname : value.unknown;
}

export type TritonValue = z.output<typeof tritonValueSchema>;

const parameterSchema = z.looseObject({
  name: z.string(),
  type: z.string().describe('As Triton has it: *fp32, i32, constexpr.'),
  constexpr: z.boolean().describe('Declared as one; others became one by their value, as a 1 does.'),
});

const functionSchema = placeSchema.extend({
  file: z.string().describe('As the line tables of the code have it.'),
  line: z.int().min(1).describe('Of its first decorator.'),
  source: z.string(),
});

const sourceFileSchema = z.looseObject({
  path: z.string().describe('Absolute, on the machine of the capture.'),
  code_path: z.string(),
  module: z.string(),
  package: z.string().nullable(),
  is_package: z.boolean(),
  text: digest.nullable().describe('Name of the snapshot; null where the file was gone already.'),
});

export type TritonSourceFile = z.output<typeof sourceFileSchema>;

/** Record that python/shim writes for every kernel that is compiled or taken from the cache. */
const compileFields = {
  triton: z.string(),
  python: z.string(),
  executable: z.string(),
  name: z.string(),
  code_object: z.looseObject({ sha256: digest }),
  target: z.looseObject({ backend: z.string(), arch: z.union([z.string(), z.int()]), warp_size: z.int() }),
  metadata: z.record(z.string(), z.unknown()),
  environment: z.record(z.string(), z.string()),
  function: placeSchema.nullable().describe('Null where the kernel was no Python function: IR, a file.'),
  dialect: z.enum(['triton', 'gluon']).optional(),
  parameters: z.array(parameterSchema).optional(),
  constexprs: z.array(z.looseObject({ path: z.array(z.int()), value: tritonValueSchema })).optional(),
  attributes: z.array(z.looseObject({ path: z.array(z.int()), value: z.array(z.array(z.unknown())) })).optional(),
  options: z.record(z.string(), tritonValueSchema).optional(),
  source: z
    .looseObject({
      functions: z.array(functionSchema),
      globals: z.array(z.looseObject({ module: z.string(), name: z.string(), value: tritonValueSchema })),
      files: z.array(sourceFileSchema),
    })
    .optional(),
};

export const tritonCompileSchema = z.looseObject({ schema: z.literal('kernloop.triton-compile/1'), ...compileFields });

const tensorSchema = z.looseObject({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  pointer: z.string(),
  kind: z.string().describe('Library of the tensor: torch, numpy, kernloop.'),
  strides: z.array(z.int()).nullish().describe('In elements; not there where the library does not tell.'),
  offset: z.int().nullish().describe('Of the first element in its storage, in elements.'),
  storage: z.looseObject({ pointer: z.string(), bytes: z.int().min(0) }).nullish(),
});

export type TritonTensor = z.output<typeof tensorSchema>;

const argumentSchema = z.looseObject({
  name: z.string(),
  tensor: tensorSchema.optional(),
  value: tritonValueSchema.optional(),
});

const launchFields = {
  grid: z.tuple([z.int(), z.int(), z.int()]).describe('In programs.'),
  grid_function: z.looseObject({ python: z.string().nullable(), why: z.string().optional() }),
  autotuned: z.boolean(),
  arguments: z.array(argumentSchema),
};

export const tritonLaunchSchema = z.looseObject({
  schema: z.literal('kernloop.triton-launch/1'),
  code_object: digest,
  ...launchFields,
});

export type TritonLaunch = z.output<typeof tritonLaunchSchema>;

export const tritonNoteSchema = z.looseObject({
  schema: z.literal('kernloop.triton-note/1'),
  unknown_version: z.string().optional(),
  known: z.array(z.string()).optional(),
  kernel: z.string().optional(),
  failed: z.string().optional(),
});

const configurationSchema = z.record(z.string(), tritonValueSchema);

const mostTrials = 65_536;

const tuningSchema = z.looseObject({
  key: z.array(z.string()).describe('Of the arguments that it tuned for last: Triton keeps no other trials.'),
  unit: z.enum(['ms', 'wave_instructions']).describe('ms as Triton measured; what the software GPU executed.'),
  trials: z
    .array(
      z.object({
        configuration: configurationSchema,
        median: z.number().nullable().describe('In `unit`; null where it could not run.'),
        chosen: z.boolean(),
      }),
    )
    .max(mostTrials),
});

export const tritonAutotuneSchema = z.looseObject({
  schema: z.literal('kernloop.triton-autotune/1'),
  name: z.string(),
  winners: z.array(configurationSchema),
  configurations: z.array(configurationSchema),
  tuning: tuningSchema.nullish(),
});

/**
 * `triton.json` of a capture: how Triton compiled the captured kernel, with the text of every file, and how the kernel
 * was launched.
 */
export const tritonJsonSchema = z.looseObject({
  schema: z.literal('kernloop.triton/1'),
  compilation: z.looseObject(compileFields).nullable(),
  sources: z.record(digest, z.string()).describe('Snapshots, by their digest.'),
  launch: z.looseObject(launchFields).nullable().describe('Null where the launch was not seen.'),
  winners: z.array(configurationSchema).describe('What the autotuners of the kernel chose, where there is one.'),
  configurations: z
    .array(configurationSchema)
    .optional()
    .describe('All that the autotuners of the kernel were given; missing in older captures.'),
  tunings: z.array(tuningSchema).optional().describe('What the autotuners of the kernel tried last.'),
  problem: z.string().nullable().describe('Why there is no compilation.'),
});

export type TritonTuning = z.output<typeof tuningSchema>;
export type TritonJson = z.output<typeof tritonJsonSchema>;
export type TritonCompilation = NonNullable<TritonJson['compilation']>;

export const tritonFile = (captureFolder: string): string => join(captureFolder, 'triton.json');

/** Null if the app was not seen using Triton. */
export function readTritonJson(captureFolder: string): TritonJson | null {
  const path = tritonFile(captureFolder);
  return existsSync(path) ? readJson(path, tritonJsonSchema, 'CAPTURE_INVALID', 'capture again') : null;
}
