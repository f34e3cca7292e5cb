import { basename, resolve } from 'node:path';
import type { LanguageName } from '../language/language';
import { parseCompileArguments, type CompileArgument } from './compile-arguments';
import type { CompileCommand } from './compile-database';
import { compilerNames, includeVariables, optionsOf, type TranslationUnit } from './translation-unit';

export interface ClangLanguage {
  name: LanguageName;
  /** Whether a compiler treats a file as this language by its name; null if it does not compile the language. */
  takes(compiler: string, file: string): boolean | null;
}

export function clangOption(name: LanguageName): CompileArgument {
  return { option: '-x', value: name, kind: 'language', separate: true };
}

/** Reads a command of clang, or of hipcc, which has clang's options. */
export function readClang(
  { directory, file, compiler, args: words, output }: CompileCommand,
  language: ClangLanguage,
  environment: Readonly<Record<string, string>>,
): TranslationUnit | null {
  const args = parseCompileArguments(words);
  const byName = language.takes(basename(compiler), file);
  if (byName === null) return null;
  const named = lastLanguage(args, file, directory);
  if (named === null ? !byName : named !== language.name) return null;
  return {
    ...{ language: language.name, file, directory, ...compilerNames(compiler), hostCompiler: null },
    args: [...optionsOf(args), clangOption(language.name), ...includeVariables(environment)],
    ...{ output, fromDatabase: true },
  };
}

/** Language of the last `-x` before the file; null if the file name decides. */
function lastLanguage(args: readonly CompileArgument[], file: string, directory: string): string | null {
  let named: string | null = null;
  for (const { kind, value } of args) {
    if (kind === 'language') named = value === 'none' ? null : value;
    if (kind === 'input' && resolve(directory, value ?? '') === file) break;
  }
  return named;
}
