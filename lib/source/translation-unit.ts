import { basename, extname, isAbsolute, resolve } from 'node:path';
import { parseCompileArguments, type CompileArgument } from '../toolchain/compile-arguments';
import type { CompileCommand } from './compile-database';

/** A source file with device code, and how the app compiles it. */
export interface TranslationUnit {
  /** Absolute. */
  file: string;
  directory: string;
  /** Base name of the compiler. */
  compiler: string;
  /** As the build names it, where that is a path. */
  compilerPath: string | null;
  /** Without input files; with the language. */
  args: CompileArgument[];
  /** False where there was no compile database and the command is what hipcc would do by itself. */
  fromDatabase: boolean;
}

export const deviceExtensions = ['.hip', '.cu', '.cpp', '.cc', '.cxx', '.C'];
export const headerExtensions = ['.h', '.hpp', '.hh', '.hxx', '.cuh', '.hip.h', '.inl', '.inc', '.ipp', '.tpp'];

/** Null for commands that compile no HIP device code: host files, and CUDA through nvcc. */
export function hipTranslationUnit({ directory, file, compiler, args }: CompileCommand): TranslationUnit | null {
  const name = basename(compiler);
  const parsed = parseCompileArguments(args);
  if (!isHip(name, parsed, file, directory)) return null;
  const options = parsed.filter(({ kind }) => kind !== 'input' && kind !== 'language');
  const compilerPath = isAbsolute(compiler) ? compiler : null;
  return { file, directory, compiler: name, compilerPath, args: [...options, hipLanguage], fromDatabase: true };
}

/** What hipcc does with a file when it is told nothing else: its defaults, and the file as HIP. */
export function defaultTranslationUnit(file: string, directory: string): TranslationUnit {
  return { file, directory, compiler: 'hipcc', compilerPath: null, args: [hipLanguage], fromDatabase: false };
}

const hipLanguage: CompileArgument = { option: '-x', value: 'hip', kind: 'language', separate: true };

/** hipcc takes C++ files for HIP unless `-x` says otherwise; clang only `.hip` files. The last `-x` before the file decides. */
function isHip(compiler: string, args: readonly CompileArgument[], file: string, directory: string): boolean {
  const isHipcc = compiler.startsWith('hipcc');
  if (!isHipcc && !compiler.includes('clang')) return false;
  let language: string | null = null;
  for (const { kind, value } of args) {
    if (kind === 'language') language = value === 'none' ? null : value;
    if (kind === 'input' && resolve(directory, value ?? '') === file) break;
  }
  if (language !== null) return language === 'hip';
  return isHipcc ? deviceExtensions.includes(extname(file)) : extname(file) === '.hip';
}
