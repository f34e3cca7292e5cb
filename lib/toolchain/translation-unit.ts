import { basename, isAbsolute } from 'node:path';
import type { LanguageName } from '../language/language';
import type { CompileArgument } from './compile-arguments';

/** A source file with device code, and the app's command for it. */
export interface TranslationUnit {
  language: LanguageName;
  /** Absolute path. */
  file: string;
  directory: string;
  /** Base name of the compiler. */
  compiler: string;
  /** Compiler as the build names it, if that is a path. */
  compilerPath: string | null;
  /** Preprocessor for nvcc, if the command names one. */
  hostCompiler: string | null;
  /** Arguments without input files, including the language. */
  args: CompileArgument[];
  /** Absolute path of the build's output; null if unknown. */
  output: string | null;
  /** False if there is no compile database and the command is the compiler's default. */
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

/** Include folders that the environment adds after the command's, as equivalent options. */
export function includeVariables(environment: Readonly<Record<string, string>>): CompileArgument[] {
  const folders = (name: string, option: string): CompileArgument[] => {
    const value = environment[name];
    // An empty entry is the working directory.
    const entries = value ? value.split(':').map((entry) => entry || '.') : [];
    return entries.map((entry) => ({ option, value: entry, kind: 'include', separate: true }));
  };
  return [...folders('CPATH', '-I'), ...folders('CPLUS_INCLUDE_PATH', '-isystem')];
}
