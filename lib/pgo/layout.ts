import { join } from 'node:path';
import type { LanguageName } from '../language/language';
import { languages } from '../language/languages';

/** Where PGO keeps things in a reproducer. All of it is its own: a user's files lie elsewhere. */
export const pgoPaths = (root: string) => {
  const folder = join(root, 'pgo');
  const instrumented = join(folder, 'instrumented');
  const variants = join(folder, 'variants');
  return {
    folder,
    instrumented,
    /** What the instrumented code was made from, by digest. */
    instrumentedJson: join(instrumented, 'build.json'),
    /** Where each counter lies in the source. */
    map: join(instrumented, 'map.json'),
    raw: join(folder, 'raw'),
    generateJson: join(folder, 'raw', 'generate.json'),
    profdata: join(folder, 'merged.profdata'),
    waves: join(folder, 'merged.waves.json'),
    mergeJson: join(folder, 'merged.json'),
    variants,
    variantsJson: join(variants, 'build.json'),
    choice: join(folder, 'choice.json'),
  };
};

/** In the order in which they are built and shown; `base` is the compiler without a profile. */
export const gates = ['off', 'uniform', 'flatten', 'wave'] as const;
/** ptxas places the registers and so the spills of NVIDIA code: no gate has a say there. */
export const variantNames = ['base', ...gates, 'use'] as const;
export type VariantName = (typeof variantNames)[number];

/** Of an app in several languages, the gates have a say where they have it in all of them. Null is a unit without device code. */
export const hasGates = (languagesOfApp: readonly (LanguageName | null)[]): boolean =>
  languagesOfApp.every((language) => language === null || languages[language].pgo !== 'use');

export const appVariants = (isGated: boolean, wanted: readonly string[]): readonly string[] =>
  isGated ? ['base', ...wanted] : ['base', 'use'];

/** Those that are built of a kernel in a language. */
export const variantsOf = (language: LanguageName | 'none'): readonly [VariantName, VariantName, ...VariantName[]] =>
  language !== 'none' && languages[language].pgo === 'use' ? ['base', 'use'] : ['base', ...gates];
