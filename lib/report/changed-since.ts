import { lastVerdict } from '../kernels/last-verdict';
import { openReproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';

/** Change since the last verdict, as `kernloop kernels` says it; null if nothing did, or if that cannot be told. */
export function changedSince(root: string): string | null {
  try {
    return lastVerdict(openReproducer(root))?.changed ?? null;
  } catch (error) {
    if (error instanceof KernloopError) return null;
    throw error;
  }
}
