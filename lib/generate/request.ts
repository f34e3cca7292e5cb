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
  /** Absolute; emptied first. */
  folder: string;
  translationUnit?: string | undefined;
  define?: readonly string[] | undefined;
  /** What the kernel is taken for. */
  language?: LanguageName | undefined;
  compileLimitSeconds: number;
  /** Units that were compiled for other kernels of the command. */
  units?: CompiledUnits | undefined;
}

/** Sources that lie in the scratch folder and compile to the captured kernel. */
export interface WrittenSource {
  recipe: Recipe;
  definition: KernelDefinition | null;
  /** The file that defines the kernel and the one that is compiled, as the user knows them. */
  file: string;
  translationUnit: string;
  /** What the compiler read for it; null where that is not all that decides. */
  reads: Omit<ReadsJson, 'recipe_sha256'> | null;
}
