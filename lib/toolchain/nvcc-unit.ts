import { extname } from 'node:path';
import { cuda } from '../language/cuda';
import type { CompileArgument } from './compile-arguments';
import type { CompileCommand } from './compile-database';
import { parseNvccArguments } from './nvcc-arguments';
import { shellWords } from './shell-words';
import { compilerNames, includeVariables, optionsOf, type TranslationUnit } from './translation-unit';

export const nvccOption: CompileArgument = { option: '-x', value: 'cu', kind: 'language', separate: true };

/** Extensions that nvcc treats as device code. */
export const nvccSources = ['.cu'];

/** Reads a command of nvcc, including options from its variables. */
export function readNvcc(
  { directory, file, compiler, args: words, output }: CompileCommand,
  environment: Readonly<Record<string, string>>,
): TranslationUnit | null {
  const around = (name: string): string[] => shellWords(environment[name] ?? '');
  const all = [...around('NVCC_PREPEND_FLAGS'), ...words, ...around('NVCC_APPEND_FLAGS')];
  const { args, hostCompiler } = parseNvccArguments(all);
  const named = args.filter(({ kind }) => kind === 'language').at(-1)?.value;
  if ((named ?? (nvccSources.includes(extname(file)) ? 'cu' : 'c++')) !== 'cu') return null;
  return {
    ...{ language: cuda.name, file, directory, ...compilerNames(compiler), hostCompiler },
    ...{ args: [...optionsOf(args), nvccOption, ...includeVariables(environment)], output, fromDatabase: true },
  };
}
