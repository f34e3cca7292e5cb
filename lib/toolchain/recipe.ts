import { z } from 'zod';
import { languageNames } from '../language/language';

const digest = z.string().length(64);
/** Path inside the reproducer: relative, without upward steps. */
const relativePath = z.string().refine(isInside, 'must stay inside the reproducer');

/**
 * How to compile a reproducer, independent of the machine that made it: `{deps}` stands for the folder of the project's
 * files and is filled in at use.
 */
export const recipeSchema = z.strictObject({
  schema: z.literal('kernloop.recipe/1'),
  language: z.enum(languageNames),
  symbol: z.string().min(1).describe('Mangled name of the captured kernel: what the compiled code must contain.'),
  compiler: z.strictObject({
    name: z.string().refine(isProgramName, 'must be a name, not a path'),
    version: z.string(),
  }),
  environment: z.record(z.string(), z.string()),
  target: z.string().describe('The offload architecture of the captured code object.'),
  virtual_target: z
    .string()
    .optional()
    .describe('nvcc: the architecture that the source is compiled for, before its PTX is compiled for the target.'),
  host_compiler: z
    .string()
    .refine(isProgramName, 'must be a name, not a path')
    .optional()
    .describe('nvcc: what preprocesses; the default one if left out.'),
  module_id: z
    .string()
    .optional()
    .describe(
      'nvcc: part of the names of what has no external linkage; it depends on the place of the source, and is restored.',
    ),
  one_entry: z
    .literal(true)
    .optional()
    .describe('Of the kernels of the unit, the captured one alone is assembled (nvcc), or optimised (clang).'),
  nvrtc: z
    .strictObject({
      name: z.string().nullable().describe('What the app called the program.'),
      headers: z.array(z.strictObject({ name: z.string().min(1), file: relativePath })),
      name_expressions: z.array(z.string()),
    })
    .optional()
    .describe('The app compiled the kernel at run time: what it passed to NVRTC beside the source and the options.'),
  triton: z
    .strictObject({
      kernel: z.strictObject({ module: z.string(), name: z.string() }),
      modules: z.array(
        z.strictObject({
          module: z.string().describe('The name by which the app imports it.'),
          file: relativePath,
          sha256: digest.describe(
            'Untouched, it is compiled under the name and the line numbers of the file of the app.',
          ),
          lines: z
            .array(z.tuple([z.int().min(1), z.int().min(1), z.int().min(1)]))
            .describe('Line here, how many, line in the file of the app.'),
        }),
      ),
      parameters: z
        .array(z.strictObject({ name: z.string(), type: z.string() }))
        .describe('Those that are passed, in their order; not those that are constants of the code.'),
      captured: z
        .strictObject({
          grid: z.array(z.int()),
          num_ctas: z.int(),
          global_scratch_size: z.int().min(0),
          profile_scratch_size: z.int().min(0),
        })
        .describe('What the captured launch had, and another one cannot have otherwise.'),
    })
    .optional()
    .describe('The kernel is one of Triton: reproducer.py compiles it.'),
  arguments: z.array(z.string()),
  main: relativePath.describe('The translation unit, below deps/.'),
  variant: z.strictObject({
    file: relativePath.describe('What the user edits.'),
    stands_for: relativePath.describe('The file below deps/ in whose place it is compiled.'),
  }),
  signature: z
    .array(z.strictObject({ offset: z.int().min(0), size: z.int().min(0) }))
    .nullable()
    .describe('Where the captured dispatch has its explicit arguments; null where the capture does not say.'),
  aliases: z
    .record(relativePath, relativePath)
    .describe('Other paths below deps/ by which a file is reached, through links of the app.'),
  folders: z
    .array(relativePath)
    .optional()
    .describe('nvcc: folders below deps/ without a file, which includes like `folder/../x.h` step out of.'),
  files: z.record(relativePath, z.strictObject({ origin: z.string(), sha256: digest })),
  code_object: z.strictObject({
    captured: digest,
    recompiled: digest.describe('Of the untouched source; equal to the captured one where the compiler is the same.'),
    same_machine_code: z
      .literal(true)
      .optional()
      .describe('The files differ, in names or debug information, but the instructions of the kernel do not.'),
  }),
  notes: z.array(z.string()).describe('What differs from the command of the app, and why.'),
});

export type Recipe = z.output<typeof recipeSchema>;

/** Whether the code has the captured instructions. */
export const isCaptured = ({ recompiled, captured, same_machine_code: isSame }: Recipe['code_object']): boolean =>
  recompiled === captured || isSame === true;

/** Start of the note about clang's relocatable device code. */
export const rdcNote = '-fgpu-rdc left out';
/** Begins the note of a recipe without the options of the app's build. */
export const noDatabaseNote = 'there was no compile database';

export const depsPlaceholder = '{deps}';
export const recipeFile = 'recipe.json';
export const overlayTemplateFile = 'overlay.template.json';

function isProgramName(name: string): boolean {
  return name !== '' && !name.includes('/');
}

function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}

/** Recipe before its first compilation. */
export type UnprovenRecipe = Omit<Recipe, 'files' | 'code_object'>;
