import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { runArchive } from './archive-program';
import { storesFor } from './stores';

export const verifiedSchema = z.looseObject({ event: z.literal('verified') });
const damage: readonly string[] = ['CHUNK_CORRUPT', 'CHUNK_MISSING', 'PACK_CORRUPT'];

/** Error about a chunk of a capture that is missing, or is not what its digest says; null if all are there. */
export async function damageOf(capture: string, deps: Deps): Promise<KernloopError | null> {
  try {
    const stores = storesFor(capture, deps.env).flatMap((store) => ['--store', store]);
    await runArchive(['verify', capture, ...stores], 'verified', verifiedSchema, deps);
    return null;
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    // Stages that need a capture report everything else about it.
    return damage.includes(error.code) ? error : null;
  }
}
