import type { Language, LanguageName } from '../language/language';
import type { CompileCommand } from './compile-database';
import type { CompileArgument } from './compile-arguments';
import type { Described } from './described-code';
import type { TranslationUnit } from './translation-unit';

export type DialectName = Extract<LanguageName, 'hip' | 'cuda'>;

/** A C++ language with device code, compiled as a compile database says. */
export interface Dialect extends Language {
  readonly name: DialectName;
  /** Extensions that its own compiler treats as device code. */
  readonly sources: readonly string[];
  /** Its own compiler, the default if nothing says how the app is compiled. */
  readonly compiler: string;
  /** How to install the compiler. */
  readonly install: string;
  /** Option that makes the compiler treat any file as device code. */
  readonly option: CompileArgument;
  /** Options that make clang write loadable code. */
  readonly clangOptions: readonly string[];
  /** Reads a command of the build; null if it compiles no device code of the language. */
  read(command: CompileCommand, environment: Readonly<Record<string, string>>): TranslationUnit | null;
  /** Target to compile a unit for, to get code for this instruction set. */
  target(isa: string, unit: TranslationUnit): string;
  /** Whether the code names its target more exactly than its device does (`sm_90a` on an sm_90). */
  readonly tellsTarget: boolean;
  /** Whether two different code objects have the same instructions for a kernel; false if that is unknown. */
  isSameMachineCode(symbol: string, one: Described | null, other: Described | null): boolean;
}
