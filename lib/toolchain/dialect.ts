import type { Language, LanguageName } from '../language/language';
import type { CompileCommand } from './compile-database';
import type { CompileArgument } from './compile-arguments';
import type { TranslationUnit } from './translation-unit';

export type DialectName = Extract<LanguageName, 'hip' | 'cuda'>;

/** A language that is C++ with device code in it, which a compile database tells how to compile. */
export interface Dialect extends Language {
  readonly name: DialectName;
  /** Extensions of the files that its own compiler takes for device code. */
  readonly sources: readonly string[];
  /** Its own compiler, which is taken where nothing says how the app is compiled. */
  readonly compiler: string;
  /** How to get that. */
  readonly install: string;
  /** What makes the compiler take any file for device code. */
  readonly option: CompileArgument;
  /** What clang needs to be told so that it writes code that can be loaded. */
  readonly clangOptions: readonly string[];
  /** Reads a command of the build; null where it compiles no device code of the language. */
  read(command: CompileCommand, environment: Readonly<Record<string, string>>): TranslationUnit | null;
  /** What a unit is to be compiled for, so that code for this instruction set comes out. */
  target(isa: string, unit: TranslationUnit): string;
  /** Whether the code says more exactly than its device what it was compiled for (`sm_90a` on an sm_90). */
  readonly tellsTarget: boolean;
  /** Whether two code objects that differ have the same instructions for a kernel; false where that cannot be told. */
  isSameMachineCode(symbol: string, one: Buffer, other: Buffer): boolean;
}
