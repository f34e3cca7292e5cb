import type { CompiledUnits } from './compiled-units';
import type { Compiler } from './find-compiler';
import type { ArgumentPlace } from './kernel-signature';
import type { Overlay } from './overlay';
import type { UnprovenRecipe } from './recipe';

/** How PTX that clang compiled from CUDA code becomes a cubin. */
export interface PtxAssembly {
  /** Absolute path of the toolkit's ptxas. */
  program: string;
  arguments: readonly string[];
  /** Edits the PTX before assembly: corrects names. */
  edit: (ptx: string) => string;
}

export interface CompileRequest {
  /** Absolute path of the folder with kernel_variant.* and deps/. */
  reproducer: string;
  recipe: UnprovenRecipe;
  overlay: Overlay;
  compiler: Compiler;
  /** Absolute path; written by rename. */
  output: string;
  /** Argument places of the captured dispatch; null to accept any. */
  signature: readonly ArgumentPlace[] | null;
  limitSeconds: number;
  /** Absolute path of a folder for temporary files; that of the system if left out. */
  scratch?: string;
  /** Folder of the capture, if it is not beside the sources. */
  capture?: string;
  /** Whether the code gets source line information. */
  lineInfo?: boolean;
  /** If given, clang writes PTX that this assembles. */
  assembly?: PtxAssembly;
  /** For clang: headers that are parsed already; what does not compile with them is compiled without. */
  preamble?: { readonly file: string; readonly header: string } | undefined;
  /** Compilations of clang that several requests can share. */
  units?: CompiledUnits | undefined;
  /** For clang: values of `__FILE__` for deps/ and kernel_variant.*; the time changes as well. */
  elsewhere?: { readonly deps: string; readonly variant: string };
  /** For nvcc: maps the kernel's PTX before assembly. */
  mapPtx?: (ptx: string) => string;
  /** For nvcc: absolute path to which the kernel's PTX is also written. */
  keepPtx?: string;
  /** For nvcc: PTX kept from an earlier compilation, used instead of compiling the sources. */
  keptPtx?: string;
}
