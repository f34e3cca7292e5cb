import type { LanguageName } from '../language/language';
import { languages } from '../language/languages';
import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import type { Recipe } from '../toolchain/recipe';

/** Requires HIP or CUDA compiled by a build; every other kernel is refused with an error. */
export function requirePgoLanguage({ config }: Pick<Reproducer, 'config'>): LanguageName {
  if (config.language === 'none') {
    throw new KernloopError(
      'SOURCE_NOT_FOUND',
      `${config.name} has no source that a profile could be used for`,
      'PGO compiles the kernel again; capture one whose source is in the workspace',
    );
  }
  if (languages[config.language].pgo !== null) return config.language;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `${config.name} is written in ${config.language}: PGO compiles HIP and CUDA with clang 22, which does not compile that`,
    'capture a kernel of HIP or CUDA source; replay and validate work with this one',
  );
}

/** Refuses NVRTC programs, which have no translation unit: their text and names come from the app. */
export function requirePgoRecipe({ config }: Pick<Reproducer, 'config'>, recipe: Pick<Recipe, 'nvrtc'>): void {
  if (recipe.nvrtc === undefined) return;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `${config.name} was compiled by NVRTC while its app ran: PGO builds what nvcc or clang compiled`,
    'replay, validate and recompile work with it; see docs/pgo.md',
  );
}
