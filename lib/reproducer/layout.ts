import { join } from 'node:path';
import type { LanguageName } from '../language/language';
import { variantName } from '../language/languages';
import { overlayTemplateFile, recipeFile } from '../toolchain/recipe';
import { readsFile } from './reads-json';
import { kernelFile } from '../support/project-file-names';

/** Paths in a reproducer (docs/contributing/seams.md). */
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
  /** PTX that nvcc made from the sources before it was assembled. */
  variantPtx: join(root, 'build', 'variant.ptx'),
  variantJson: join(root, 'build', 'variant.json'),
});

/** Files of pristine/ that stages read from there; `extract` copies all others out for the user. */
export const pristineOnly: readonly string[] = [recipeFile, overlayTemplateFile, readsFile];
