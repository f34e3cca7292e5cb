import type { Dialect } from '../toolchain/dialect';
import type { SearchTrail } from './search-trail';

/** Kernel to find and where to search. */
export interface KernelQuery {
  /** Demangled name. */
  name: string;
  /** Mangled name. */
  symbol: string;
  dialect: Dialect;
  /** Target of the captured code: `amdgcn-amd-amdhsa--gfx90a:xnack-`, `sm_90a`. */
  isa: string;
  /** The app's source folder. */
  source: string;
  /** Path of the compile database; undefined if the app has none. */
  compileCommands: string | undefined;
  /** File of the only unit to consider. */
  translationUnit: string | undefined;
  /** Macros in addition to the build's: `NAME`, `NAME=VALUE`. */
  define: readonly string[];
  /** Environment of the app's build. */
  environment: Readonly<Record<string, string>>;
  /** Whether the captured code's debug information names a file, or, without it, the program does: likelier than a copy of it. */
  isNamed: (file: string) => boolean;
  /** Whether a file, links followed, is the user's own rather than the toolchain's. */
  isProjectFile: (real: string, compiler: string) => boolean;
  /** Log that the search fills in. */
  trail: SearchTrail;
}
