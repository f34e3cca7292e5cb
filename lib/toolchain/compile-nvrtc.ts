import { dirname, join } from 'node:path';
import type { CompileRequest } from './compile-request';
import { runCompiler, type CompileDeps } from './run-compiler';

/**
 * Compiles as the app did at run time: one text, and headers under the app's names. Returns every file that was passed;
 * NVRTC does not report what it reads from include folders.
 */
export async function compileWithNvrtc(request: CompileRequest, output: string, deps: CompileDeps): Promise<string[]> {
  const { compiler, recipe, reproducer, limitSeconds } = request;
  if (recipe.nvrtc === undefined) throw new Error('the recipe is not one of NVRTC');
  const { name, headers, name_expressions: expressions } = recipe.nvrtc;
  const source = join(reproducer, recipe.variant.file);
  const passed = headers.map((header) => ({ name: header.name, path: join(reproducer, header.file) }));
  await runCompiler(
    {
      program: deps.native.nvrtcCompiler,
      args: [
        ...['--library', compiler.path, '--source', source, '--output', output],
        ...(name === null ? [] : ['--name', name]),
        ...passed.flatMap((header) => ['--header-name', header.name, '--header-file', header.path]),
        ...expressions.flatMap((expression) => ['--name-expression', expression]),
        ...recipe.arguments.flatMap((option) => ['--option', option]),
      ],
      cwd: dirname(source),
      env: recipe.environment,
      limitSeconds,
      variantFile: recipe.variant.file,
      describe: (text) => text.replaceAll(`${name ?? 'default_program'}(`, `${recipe.variant.file}(`),
    },
    deps,
  );
  return [source, ...passed.map(({ path }) => path)];
}
