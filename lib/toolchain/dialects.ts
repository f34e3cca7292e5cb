import { KernloopError } from '../support/error';
import type { LanguageName } from '../language/language';
import type { Dialect, DialectName } from './dialect';
import { cudaDialect } from './dialect-cuda';
import { hipDialect } from './dialect-hip';
import { includeVariables, type TranslationUnit } from './translation-unit';

export const dialects: Readonly<Record<DialectName, Dialect>> = { hip: hipDialect, cuda: cudaDialect };

/** Undefined for a language that compile databases do not cover. */
export const dialectOf = (language: LanguageName): Dialect | undefined =>
  Object.values(dialects).find(({ name }) => name === language);

/** Dialect of the code that a device runs; captures name the device. */
export function dialectFor(device: string): Dialect {
  const found = Object.values(dialects).find(({ devices }) => devices.some((kind) => kind === device));
  if (found !== undefined) return found;
  throw new KernloopError(
    'CAPTURE_INVALID',
    `the device of the capture is "${device}", which no C++ is compiled for here`,
    'use the version of Kernloop that made the capture',
  );
}

/** Unit for a file without a build command: the compiler's defaults, with the file as device code. */
export function defaultTranslationUnit(
  file: string,
  directory: string,
  { name, compiler, option }: Dialect,
  environment: Readonly<Record<string, string>> = {},
): TranslationUnit {
  return {
    ...{ language: name, file, directory, compiler, compilerPath: null, hostCompiler: null },
    ...{ args: [...includeVariables(environment), option], output: null, fromDatabase: false },
  };
}
