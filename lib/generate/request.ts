import type { App } from '../app/app';
import type { KernelEntry } from '../app/kernloop-json';
import type { CaptureJson } from '../archive/capture-files';
import type { LanguageName } from '../language/language';
import type { ReadsJson } from '../reproducer/reads-json';
import type { KernelDefinition } from '../source/kernel-definitions';
import type { CompiledUnits } from '../toolchain/compiled-units';
import type { Recipe } from '../toolchain/recipe';

export interface PristineRequest {
  app: App;
  kernel: KernelEntry;
  capture: CaptureJson;
  captureFolder: string;
  /** Absolute path; the folder is emptied first. */
  folder: string;
  translationUnit?: string | undefined;
  define?: readonly string[] | undefined;
  /** Language that the user gives for the kernel. */
  language?: LanguageName | undefined;
  compileLimitSeconds: number;
  /** Units compiled for other kernels by the same command. */
  units?: CompiledUnits | undefined;
}

/** Sources in the scratch folder that compile to the captured kernel. */
export interface WrittenSource {
  recipe: Recipe;
  definition: KernelDefinition | null;
  /** File that defines the kernel and file that is compiled, with paths that the user knows. */
  file: string;
  translationUnit: string;
  /** Files that the compiler read; null if they do not fully decide the code. */
  reads: Omit<ReadsJson, 'recipe_sha256'> | null;
}
