import type { CompiledUnits } from './compiled-units';
import type { Compiler } from './find-compiler';
import type { ArgumentPlace } from './kernel-signature';
import type { Overlay } from './overlay';
import type { UnprovenRecipe } from './recipe';

/** How CUDA code that clang compiled to PTX becomes a cubin. */
export interface PtxAssembly {
  /** ptxas of the toolkit, absolute. */
  program: string;
  arguments: readonly string[];
  /** Changes what is to be assembled: names. */
  edit: (ptx: string) => string;
}

export interface CompileRequest {
  /** Absolute: the folder with kernel_variant.* and deps/. */
  reproducer: string;
  recipe: UnprovenRecipe;
  overlay: Overlay;
  compiler: Compiler;
  /** Absolute; written by rename. */
  output: string;
  /** Where the captured dispatch has its arguments; null to take any. */
  signature: readonly ArgumentPlace[] | null;
  limitSeconds: number;
  /** Folder of the capture, where it is not beside the sources. */
  capture?: string;
  /** Have the code name the lines of the source. */
  lineInfo?: boolean;
  /** clang writes PTX, and this makes the code of it. */
  assembly?: PtxAssembly;
  /** Compilations of clang that several requests may have in common. */
  units?: CompiledUnits | undefined;
  /** For clang: what `__FILE__` names in the place of deps/ and of kernel_variant.*; the time is another one, too. */
  elsewhere?: { readonly deps: string; readonly variant: string };
  /** Of nvcc: what the assembler gets for the PTX of the kernel. */
  mapPtx?: (ptx: string) => string;
  /** For nvcc, absolute: the PTX of the kernel is written there too. */
  keepPtx?: string;
  /** For nvcc: PTX that an earlier compilation kept, in the place of what the sources would give. */
  keptPtx?: string;
}
