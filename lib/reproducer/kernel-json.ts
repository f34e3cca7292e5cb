import { z } from 'zod';
import { remembered } from '../support/schema';
import { noSourceSchema } from '../source/no-source-json';
import { nameSchema, selectionShape, stageOptionsSchema } from '../app/kernloop-json';
import { deviceKinds } from '../device/kinds';
import { languageNames } from '../language/language';
import { configurationSchema } from './configuration';

const roles = ['in', 'out', 'inout', 'workspace', 'ignore'] as const;
/** Languages of the source; "none" if there is no source. */
export const sourceLanguages = [...languageNames, 'none'] as const;

export const elementTypes = [
  'f64',
  'f32',
  'f16',
  'bf16',
  'f8e4m3',
  'f8e5m2',
  'f8e4m3fnuz',
  'f8e5m2fnuz',
  'i64',
  'i32',
  'i16',
  'i8',
  'u64',
  'u32',
  'u16',
  'u8',
  'bool',
] as const;

const kernelArgSchema = z.strictObject({
  index: z.int().min(0).describe('Position in the parameter list.'),
  name: z
    .string()
    .nullable()
    .describe('Name of the parameter in the source. null: it has none, or there is no source.'),
  type: z
    .string()
    .describe('Type with template arguments and typedefs resolved, as in the demangled name; otherwise as written.'),
  declared: z.string().nullable().describe('Type as written in the source.'),
  role: z
    .enum(roles)
    .describe(
      'What the kernel does with the memory behind it. "ignore" and "workspace" exclude that memory from validate; every verdict counts the excluded bytes.',
    ),
  element: z
    .enum(elementTypes)
    .nullable()
    .describe('Element type behind a pointer, for tolerances. null: none of these.'),
  record_bytes: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Size of one record of the array behind a pointer, if threads fill the array in any order: sizeof the struct, or everything one thread writes side by side. See --record of validate.',
    ),
  offset: z.int().min(0).describe('Byte offset in the kernel-argument segment.'),
  size: z.int().min(0).describe('Bytes in the kernel-argument segment.'),
  kind: z.string().describe('Kind of the argument in the metadata of the code object.'),
});

export const kernelJsonSchema = remembered(
  z
    .strictObject({
      $schema: z
        .string()
        .optional()
        .describe(
          'JSON Schema that editors check this file by: a path to `schemas/kernel.schema.json` of the package.',
        ),
      name: nameSchema.describe('Name of the kernel in kernloop.json, and of this folder.'),
      app: z.strictObject({
        name: nameSchema.describe('Name of the app.'),
        root: z.string().describe('Folder of the app, relative to the workspace.'),
      }),
      symbol: z.string().min(1).describe('Mangled name.'),
      demangled: z.string().min(1),
      code_object: z.string().length(64).describe('sha256 of the captured code object.'),
      device: z.strictObject({ kind: z.enum(deviceKinds), isa: z.string() }),
      selection: z.strictObject(selectionShape),
      language: z
        .enum(sourceLanguages)
        .describe('"none": there is no source, so only the captured code can be replayed.'),
      source: z
        .strictObject({
          file: z.string().describe('The file that defines the kernel, relative to the workspace.'),
          line: z.int().min(1).nullable(),
          translation_unit: z
            .string()
            .describe('The file that is compiled (the translation unit), relative to the workspace.'),
          variant: z.string().describe('The copy to edit.'),
        })
        .nullable(),
      no_source: noSourceSchema.optional().describe('Why there is no source.'),
      args: z.array(kernelArgSchema),
      configuration: configurationSchema
        .optional()
        .describe(
          'C++ only: macros to compile kernel_variant.* with, and launch settings that differ from the captured ones.',
        ),
      options: stageOptionsSchema.default({}),
      task_of: z
        .enum(['agent-kernel-arena'])
        .optional()
        .describe('Benchmark whose task this folder is, by export-task: then it is no project of Nx.'),
    })
    .meta({
      title: 'kernel.json',
      description: 'A reproducer: one captured dispatch of one kernel, and its source to edit.',
    }),
);

export type KernelJson = z.output<typeof kernelJsonSchema>;
export type KernelArg = z.output<typeof kernelArgSchema>;
export type ElementType = (typeof elementTypes)[number];
