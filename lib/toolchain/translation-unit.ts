import { basename, extname, isAbsolute, resolve } from 'node:path';
import { parseCompileArguments, type CompileArgument } from './compile-arguments';
import { parseNvccArguments } from './nvcc-arguments';
import type { CompileCommand } from './compile-database';
import { shellWords } from './shell-words';

export type DeviceLanguage = 'hip' | 'cuda';

/** A source file with device code, and how the app compiles it. */
export interface TranslationUnit {
  language: DeviceLanguage;
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
  /** False where there was no compile database and the command is what the compiler would do by itself. */
  fromDatabase: boolean;
}

const cplusplusExtensions = ['.cpp', '.cc', '.cxx', '.C'];

/** Files that the usual compiler of a language takes for device code by their names. */
const deviceExtensions: Record<DeviceLanguage, readonly string[]> = {
  hip: ['.hip', '.cu', ...cplusplusExtensions],
  cuda: ['.cu'],
};

export function isDeviceSource(file: string, language: DeviceLanguage): boolean {
  return deviceExtensions[language].includes(extname(file));
}

/** Null for commands that compile no device code of the language: host files, and code for other devices. */
export function translationUnit(
  command: CompileCommand,
  language: DeviceLanguage,
  environment: Readonly<Record<string, string>> = {},
): TranslationUnit | null {
  const unit = isNvcc(basename(command.compiler))
    ? nvccUnit(command, language, environment)
    : clangUnit(command, language);
  return unit && { ...unit, args: [...unit.args, ...includeVariables(environment)] };
}

/** Folders that the build's environment adds behind those of the command, as the options that say the same. */
function includeVariables(environment: Readonly<Record<string, string>>): CompileArgument[] {
  const folders = (name: string, option: string): CompileArgument[] => {
    const value = environment[name];
    // An empty entry is the working directory.
    const entries = value ? value.split(':').map((entry) => entry || '.') : [];
    return entries.map((entry) => ({ option, value: entry, kind: 'include', separate: true }));
  };
  return [...folders('CPATH', '-I'), ...folders('CPLUS_INCLUDE_PATH', '-isystem')];
}

export function isNvcc(compiler: string): boolean {
  return compiler.startsWith('nvcc');
}

function nvccUnit(
  { directory, file, compiler, args: words }: CompileCommand,
  language: DeviceLanguage,
  environment: Readonly<Record<string, string>>,
): TranslationUnit | null {
  if (language !== 'cuda') return null;
  const around = (name: string): string[] => shellWords(environment[name] ?? '');
  const all = [...around('NVCC_PREPEND_FLAGS'), ...words, ...around('NVCC_APPEND_FLAGS')];
  const { args, hostCompiler } = parseNvccArguments(all);
  const named = args.filter(({ kind }) => kind === 'language').at(-1)?.value;
  if ((named ?? (isDeviceSource(file, 'cuda') ? 'cu' : 'c++')) !== 'cu') return null;
  return {
    ...{ language, file, directory, ...compilerNames(compiler), hostCompiler },
    ...{ args: [...optionsOf(args), nvccLanguage], fromDatabase: true },
  };
}

function clangUnit(
  { directory, file, compiler, args: words }: CompileCommand,
  language: DeviceLanguage,
): TranslationUnit | null {
  const args = parseCompileArguments(words);
  if (!compiles(language, basename(compiler), args, file, directory)) return null;
  return {
    ...{ language, file, directory, ...compilerNames(compiler), hostCompiler: null },
    ...{ args: [...optionsOf(args), clangLanguage(language)], fromDatabase: true },
  };
}

function compilerNames(compiler: string): Pick<TranslationUnit, 'compiler' | 'compilerPath'> {
  return { compiler: basename(compiler), compilerPath: isAbsolute(compiler) ? compiler : null };
}

function optionsOf(args: readonly CompileArgument[]): CompileArgument[] {
  return args.filter(({ kind }) => kind !== 'input' && kind !== 'language');
}

/** What hipcc or nvcc does with a file when it is told nothing else: its defaults, and the file as device code. */
export function defaultTranslationUnit(
  file: string,
  directory: string,
  language: DeviceLanguage,
  environment: Readonly<Record<string, string>> = {},
): TranslationUnit {
  const compiler = defaultCompilers[language];
  const args = [...includeVariables(environment), language === 'hip' ? clangLanguage('hip') : nvccLanguage];
  return { language, file, directory, compiler, compilerPath: null, hostCompiler: null, args, fromDatabase: false };
}

export const defaultCompilers: Record<DeviceLanguage, string> = { hip: 'hipcc', cuda: 'nvcc' };

const nvccLanguage: CompileArgument = { option: '-x', value: 'cu', kind: 'language', separate: true };

function clangLanguage(language: DeviceLanguage): CompileArgument {
  return { option: '-x', value: language, kind: 'language', separate: true };
}

/**
 * hipcc takes C++ files for HIP unless `-x` says otherwise; clang only files by the extension of the language. The last `-x` before
 * the file decides.
 */
function compiles(
  language: DeviceLanguage,
  compiler: string,
  args: readonly CompileArgument[],
  file: string,
  directory: string,
): boolean {
  const isHipcc = compiler.startsWith('hipcc');
  if (!isHipcc && !compiler.includes('clang')) return false;
  if (isHipcc && language !== 'hip') return false;
  let named: string | null = null;
  for (const { kind, value } of args) {
    if (kind === 'language') named = value === 'none' ? null : value;
    if (kind === 'input' && resolve(directory, value ?? '') === file) break;
  }
  if (named !== null) return named === language;
  if (isHipcc) return isDeviceSource(file, 'hip');
  return extname(file) === (language === 'hip' ? '.hip' : '.cu');
}
