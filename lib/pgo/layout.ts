import { join } from 'node:path';
import type { LanguageName } from '../language/language';
import { languages } from '../language/languages';

/** Paths of PGO in a reproducer. Everything in this folder is generated; the user's files are outside it. */
export const pgoPaths = (root: string) => {
  const folder = join(root, 'pgo');
  const instrumented = join(folder, 'instrumented');
  const variants = join(folder, 'variants');
  return {
    folder,
    instrumented,
    /** Digests of what the instrumented code was made from. */
    instrumentedJson: join(instrumented, 'build.json'),
    /** Source location of each counter. */
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

/** Gates in the order in which they are built and shown; variant `base` is the compiler without a profile. */
export const gates = ['off', 'uniform', 'flatten', 'wave'] as const;
/** Variants of all languages. NVIDIA's has no gates, because ptxas allocates registers and decides spills. */
export const variantNames = ['base', ...gates, 'use'] as const;
export type VariantName = (typeof variantNames)[number];

const isGate = (name: string): boolean => gates.some((gate) => gate === name);

/** Words for a build: the name of its gate alone, `off`, would read as if the profile were off. */
export const gateWords = (name: string): string => (isGate(name) ? `gate ${name}` : name);

export function buildWords(name: string): string {
  if (name === 'base') return 'base (the same compiler without a profile)';
  return isGate(name) ? `the profile's build, ${gateWords(name)}` : "the profile's build";
}

/** An app in several languages has gates only if all its languages do. Null is a unit without device code. */
export const hasGates = (languagesOfApp: readonly (LanguageName | null)[]): boolean =>
  languagesOfApp.every((language) => language === null || languages[language].pgo !== 'use');

export const appVariants = (isGated: boolean, wanted: readonly string[]): readonly string[] =>
  isGated ? ['base', ...wanted] : ['base', 'use'];

/** Variants that are built for a kernel in a language. */
export const variantsOf = (language: LanguageName | 'none'): readonly [VariantName, VariantName, ...VariantName[]] =>
  language !== 'none' && languages[language].pgo === 'use' ? ['base', 'use'] : ['base', ...gates];
