import type { Dialect } from '../toolchain/dialect';
import type { SearchTrail } from './search-trail';

/** What is looked for, and where. */
export interface KernelQuery {
  /** Demangled. */
  name: string;
  /** Mangled. */
  symbol: string;
  dialect: Dialect;
  /** Of the captured code: `amdgcn-amd-amdhsa--gfx90a:xnack-`, `sm_90a`. */
  isa: string;
  /** The app's source folder. */
  source: string;
  /** Path of the compile database; undefined where the app has none. */
  compileCommands: string | undefined;
  /** Only consider the unit of this file. */
  translationUnit: string | undefined;
  /** Macros beside those of the build: `NAME`, `NAME=VALUE`. */
  define: readonly string[];
  /** Environment of the app's build. */
  environment: Readonly<Record<string, string>>;
  /** Whether a file, links followed, is the user's own rather than the toolchain's. */
  isProjectFile: (real: string, compiler: string) => boolean;
  /** Filled in as the search goes on. */
  trail: SearchTrail;
}
