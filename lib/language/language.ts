import type { DeviceKind } from '../device/kinds';

export const languageNames = ['hip', 'cuda', 'triton'] as const;
export type LanguageName = (typeof languageNames)[number];

/** A language that kernels are written in. How one that is C++ is compiled is in lib/toolchain/dialect.ts. */
export interface Language {
  readonly name: LanguageName;
  /** As people write it. */
  readonly label: string;
  /** Whose code it is compiled to. */
  readonly devices: readonly DeviceKind[];
  /** Extensions of what it is compiled to. */
  readonly codeObjects: readonly [string, ...string[]];
  /**
   * What PGO builds of it by a profile, with clang: code for each gate where our plugin places the spills, one where an assembler does;
   * null where clang does not compile it.
   */
  readonly pgo: 'gates' | 'use' | null;
  /** Whether its compiler, told to keep what it makes on the way, has PTX for another assembler. */
  readonly keepsPtx: boolean;
  /** Who compiles it while an app runs, which is recorded with a capture; null where nobody is. */
  readonly recorder: 'triton' | 'nvrtc' | null;
  /** Beside the source of a reproducer, what compiles and launches it by itself: a user may edit that, too. */
  readonly scripts: readonly string[];
}
