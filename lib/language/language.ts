import type { DeviceKind } from '../device/kinds';

export const languageNames = ['hip', 'cuda', 'triton'] as const;
export type LanguageName = (typeof languageNames)[number];

/** A language that kernels are written in. lib/toolchain/dialect.ts says how the C++ ones are compiled. */
export interface Language {
  readonly name: LanguageName;
  /** Name for people. */
  readonly label: string;
  /** Devices that its compiled code runs on. */
  readonly devices: readonly DeviceKind[];
  /** File extensions of its compiled code. */
  readonly codeObjects: readonly [string, ...string[]];
  /**
   * Variants that PGO builds with clang from a profile: `gates` if our plugin places the spills, one build per gate;
   * `use` if an assembler places them, one build; null if clang does not compile the language.
   */
  readonly pgo: 'gates' | 'use' | null;
  /** Whether its compiler, told to keep intermediate files, has PTX for another assembler. */
  readonly keepsPtx: boolean;
  /** Compiler that runs inside an app and is recorded with a capture; null if there is none. */
  readonly recorder: 'triton' | 'nvrtc' | null;
  /** Scripts of a reproducer that compile and launch its kernel, beside the source; a user may edit them, too. */
  readonly scripts: readonly string[];
}
