import { basename, isAbsolute } from 'node:path';
import type { LanguageName } from '../language/language';
import type { CompileArgument } from './compile-arguments';

/** A source file with device code, and how the app compiles it. */
export interface TranslationUnit {
  language: LanguageName;
  /** Absolute. */
  file: string;
  directory: string;
  /** Base name of the compiler. */
  compiler: string;
  /** As the build names it, where that is a path. */
  compilerPath: string | null;
  /** What nvcc is told to preprocess with, where the command says. */
  hostCompiler: string | null;
  /** Without input files; with the language. */
  args: CompileArgument[];
  /** Absolute: what the build made of it; null where there is no telling. */
  output: string | null;
  /** False where there was no compile database and the command is what the compiler would do by itself. */
  fromDatabase: boolean;
}

export function isNvcc(compiler: string): boolean {
  return compiler.startsWith('nvcc');
}

export function compilerNames(compiler: string): Pick<TranslationUnit, 'compiler' | 'compilerPath'> {
  return { compiler: basename(compiler), compilerPath: isAbsolute(compiler) ? compiler : null };
}

export function optionsOf(args: readonly CompileArgument[]): CompileArgument[] {
  return args.filter(({ kind }) => kind !== 'input' && kind !== 'language');
}

/** Folders that the build's environment adds behind those of the command, as the options that say the same. */
export function includeVariables(environment: Readonly<Record<string, string>>): CompileArgument[] {
  const folders = (name: string, option: string): CompileArgument[] => {
    const value = environment[name];
    // An empty entry is the working directory.
    const entries = value ? value.split(':').map((entry) => entry || '.') : [];
    return entries.map((entry) => ({ option, value: entry, kind: 'include', separate: true }));
  };
  return [...folders('CPATH', '-I'), ...folders('CPLUS_INCLUDE_PATH', '-isystem')];
}
