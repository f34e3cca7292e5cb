import { z } from 'zod';
import { remembered } from '../support/schema';
import { deviceKinds } from '../device/kinds';
import { runnerSchema } from './runner-json';
import { problemOfExpression } from './name-expression';
import { dispatchesForm, dispatchesSchema } from './dispatches';
export const scopes = ['reachable', 'all'] as const;
export const eachChoices = ['dispatch', 'geometry', 'kernel'] as const;

/** Names become folders, Nx targets and event ids. */
export const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'letters, digits, ".", "_" and "-" only, starting with a letter or digit',
  );

const commandSchema = z.array(z.string().min(1)).min(1);

const regexSchema = z
  .string()
  .min(1)
  .refine((source) => problemOfExpression(source) === null, {
    error: ({ input }) => problemOfExpression(String(input)) ?? '',
  });

/** Selects dispatches: in a kernel entry, and in files generated from its capture. */
export const selectionShape = {
  match: regexSchema.describe(
    'Regular expression (ECMAScript), searched for in the demangled and in the mangled kernel name.',
  ),
  wholeName: z
    .boolean()
    .optional()
    .describe(
      'The expression must match a whole name: the mangled one, or the demangled one with its parameters, without them, or without template arguments too.',
    ),
  ordinal: z.int().min(1).default(1).describe('Which matching dispatch to capture, counted from 1.'),
  dispatch: dispatchesSchema
    .optional()
    .describe(
      `Which of the matching dispatches to capture, instead of "ordinal": a number, a list of numbers, or text: ${dispatchesForm}.`,
    ),
  each: z
    .enum(eachChoices)
    .optional()
    .describe(
      'Capture each of those dispatches (the default), the first of each kernel and launch geometry, or the first of each kernel.',
    ),
  limit: z.int().min(1).optional().describe('Stop after this many captures. Default: 16.'),
  after: regexSchema
    .optional()
    .describe('Do not count dispatches until a kernel whose name matches this expression has been launched.'),
  afterCount: z.int().min(1).optional().describe('How many launches matching "after" to wait for. Default: 1.'),
  scope: z
    .enum(scopes)
    .default('reachable')
    .describe('Memory to capture: what the arguments lead to, or every tracked allocation.'),
};

const onlyOneNumber = [
  ({ ordinal, dispatch }: { ordinal: number; dispatch?: string | undefined }): boolean =>
    dispatch === undefined || ordinal === 1,
  'give "ordinal" or "dispatch", not both',
] as const;

export const kernelEntrySchema = z
  .strictObject({
    name: nameSchema.describe('Folder of the reproducer in kernels/<app>/, and suffix of the Nx targets.'),
    ...selectionShape,
    from: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'Where its capture came from, if it is none of this app: a file that was unpacked, or a folder. No run of the app takes its place, also where it is missing, as in a clone.',
      ),
  })
  .refine(...onlyOneNumber);

/**
 * `options` of kernloop.json and kernel.json: stage name to option name to value. Flags and environment variables
 * override them.
 */
export const stageOptionsSchema = z
  .record(z.string(), z.record(z.string(), z.unknown()))
  .describe('Options for each stage, for example { "capture": { "maxBytes": 1073741824 } }.');

export const kernloopJsonSchema = remembered(
  z
    .strictObject({
      $schema: z
        .string()
        .optional()
        .describe(
          'JSON Schema that editors check this file by: a path to `schemas/kernloop.schema.json` of the package.',
        ),
      name: nameSchema.describe('Name of the app, and of its Nx project.'),
      device: z.enum(deviceKinds).optional().describe('Where the kernels run. Default: softgpu.'),
      build: z
        .strictObject({
          configure: commandSchema.optional().describe('Runs first when an output is missing.'),
          command: commandSchema.describe(
            'Builds the app. It runs before every capture and profile, so it should be incremental.',
          ),
          outputs: z
            .array(z.string().min(1))
            .default([])
            .describe('Files or folders that the build writes, relative to this file.'),
        })
        .optional()
        .describe('How to build the app. Leave it out if the app needs no build.'),
      command: commandSchema.describe('Program and arguments. A program with a slash in its name is relative to cwd.'),
      cwd: z.string().min(1).default('.').describe('Working directory of the app, relative to this file.'),
      env: z
        .record(z.string(), z.string())
        .default({})
        .describe('Environment variables set for the build and for the app.'),
      stdin: z
        .string()
        .min(1)
        .optional()
        .describe(
          "File to give the app as stdin in every run, relative to this file. Default: Kernloop's own stdin (nothing under Nx).",
        ),
      source: z.string().min(1).default('.').describe("Root of the app's own sources, relative to this file."),
      compileCommands: z
        .string()
        .min(1)
        .optional()
        .describe('Path of the compile database (compile_commands.json), relative to this file.'),
      kernels: z
        .array(kernelEntrySchema)
        .default([])
        .refine(haveDistinctNames, 'two kernels have the same name')
        .describe('The kernels you care about.'),
      store: z
        .strictObject({
          kind: z.literal('http'),
          url: z.string().min(1).describe('Base URL: content lies at <url>/cas/<sha256>.'),
          credentialHelper: commandSchema
            .optional()
            .describe(
              'Program and arguments. It gets the URL as its last argument and prints the value of the Authorization header. KERNLOOP_STORE_AUTHORIZATION takes precedence.',
            ),
        })
        .optional()
        .describe('Server that `kernloop push` sends captures to, and that missing chunks are fetched from.'),
      runner: runnerSchema
        .optional()
        .describe('Where stages run that need the device; here if left out. See docs/slurm.md.'),
      options: stageOptionsSchema.default({}),
    })
    .meta({ title: 'kernloop.json', description: 'An app: how it is built and run, and which of its kernels matter.' }),
);

export type KernloopJson = z.output<typeof kernloopJsonSchema>;
export type KernelEntry = z.output<typeof kernelEntrySchema>;
export type Each = (typeof eachChoices)[number];
export type Scope = (typeof scopes)[number];

function haveDistinctNames(kernels: readonly { name: string }[]): boolean {
  return new Set(kernels.map(({ name }) => name)).size === kernels.length;
}
