import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';

/** Only HIP, for now: said, and never passed over. */
export function requirePgoLanguage({ config }: Pick<Reproducer, 'config'>): void {
  if (config.language === 'hip') return;
  if (config.language === 'none') {
    throw new KernloopError(
      'SOURCE_NOT_FOUND',
      `${config.name} has no source that a profile could be used for`,
      'PGO compiles the kernel again; capture one whose source is in the workspace',
    );
  }
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `${config.name} is written in ${config.language === 'cuda' ? 'CUDA' : config.language}: the stages of PGO build HIP kernels for AMD GPUs alone`,
    'the plugin itself instruments code for NVIDIA GPUs (nvptx64) too, where spills are ptxas\'s and only "base" and "off" can be built; see docs/pgo.md',
  );
}
