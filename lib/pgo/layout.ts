import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageName } from '../language/language';
import { languages } from '../language/languages';

/** Files that each subject of PGO has. Everything in the folder is generated; the user's files are outside it. */
const pathsIn = (folder: string) => {
  const [instrumented, variants] = [join(folder, 'instrumented'), join(folder, 'variants')];
  return {
    ...{ folder, instrumented, variants, raw: join(folder, 'raw') },
    /** Digests of what the code was made from. */
    instrumentedJson: join(instrumented, 'build.json'),
    variantsJson: join(variants, 'build.json'),
    profdata: join(folder, 'merged.profdata'),
    waves: join(folder, 'merged.waves.json'),
    mergeJson: join(folder, 'merged.json'),
    choice: join(folder, 'choice.json'),
  };
};

export const pgoPaths = (root: string) => {
  const paths = pathsIn(join(root, 'pgo'));
  return {
    ...paths,
    /** Source location of each counter. */
    map: join(paths.instrumented, 'map.json'),
    generateJson: join(paths.raw, 'generate.json'),
  };
};

/** Target triples in the names of device profiles, beside the host's. */
const deviceTriples = ['amdgcn-amd-amdhsa', 'nvptx64-nvidia-cuda'] as const;

/** Files that PGO keeps for an app: below .kernloop, where the app's own build never writes. */
export const appPgoPaths = (root: string) => {
  const paths = pathsIn(join(root, '.kernloop', 'pgo'));
  const host = paths.profdata;
  const ofDevice = deviceTriples.map((triple) => `${host}.${triple}.profdata`);
  return {
    ...paths,
    /** Input of `-fprofile-use` for host code; missing if the host was not counted. */
    host,
    /**
     * Profile of the device, under the name that LLVM's RFC gives it beside the host's. There is one, because an app
     * uses one kind of device.
     */
    profdata: ofDevice.find((file) => existsSync(file)) ?? ofDevice[0] ?? '',
    ofDevice,
    /** Profiles of programs that the app compiles at run time. */
    runtime: join(paths.folder, 'runtime'),
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
