import { join } from 'node:path';
import type { LanguageName } from '../language/language';
import { variantName } from '../language/languages';
import { overlayTemplateFile, recipeFile } from '../toolchain/recipe';
import { readsFile } from './reads-json';
import { kernelFile } from '../support/project-file-names';

/** Where things lie in a reproducer (docs/contributing/seams.md). */
export const reproducerPaths = (root: string) => ({
  root,
  pristine: join(root, 'pristine'),
  recipe: join(root, 'pristine', recipeFile),
  overlayTemplate: join(root, 'pristine', overlayTemplateFile),
  reads: join(root, 'pristine', readsFile),
  kernelJson: join(root, kernelFile),
  capture: join(root, 'capture'),
  build: join(root, 'build'),
  variant: (language: LanguageName, device: string) => join(root, 'build', variantName(language, device)),
  /** PTX that nvcc made of the sources before it assembled it. */
  variantPtx: join(root, 'build', 'variant.ptx'),
  variantJson: join(root, 'build', 'variant.json'),
});

/** Files of pristine/ that stages read from there; everything else is copied out for the user by `extract`. */
export const pristineOnly: readonly string[] = [recipeFile, overlayTemplateFile, readsFile];
