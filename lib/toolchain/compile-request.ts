import type { CompiledUnits } from './compiled-units';
import type { Compiler } from './find-compiler';
import type { ArgumentPlace } from './kernel-signature';
import type { Overlay } from './overlay';
import type { UnprovenRecipe } from './recipe';
import type { CompileDeps } from './run-compiler';

/** How PTX that clang compiled from CUDA code becomes a cubin. */
export interface PtxAssembly {
  /** Absolute path of the toolkit's ptxas. */
  program: string;
  arguments: readonly string[];
  /** Edits the PTX before assembly: corrects names. */
  edit: (ptx: string) => string;
}

/** Runs a program that a driver would start; throws if it fails. */
export type RunStep = (program: string, args: readonly string[], limitSeconds: number) => Promise<void>;

/** A compilation by the steps of clang's driver, without it (driver-steps.ts). */
export interface StepsOfDriver {
  /** Whether they were run in place of the driver. */
  readonly isUsed: boolean;
  /** False if the driver's steps are not known, and nothing was compiled. */
  compile(request: CompileRequest, args: readonly string[], deps: CompileDeps, run: RunStep): Promise<boolean>;
  /** Whether the front end writes the same object with `words` besides: the linked code is the same, then. */
  isSameObject(words: readonly string[], request: CompileRequest, run: RunStep): Promise<boolean>;
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
  /** For clang: runs what its driver would, without it; what does not compile in this way is compiled by the driver. */
  steps?: StepsOfDriver | undefined;
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
