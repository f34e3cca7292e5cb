import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';
import { profileSchema } from './profile-json';

/**
 * Number of launches of a reproducer's kernel in the last profile of its app; null if there is none, or if it is of other
 * code than was captured.
 */
export function launchesOf({ workspaceRoot, config }: Pick<Reproducer, 'workspaceRoot' | 'config'>): number | null {
  const path = join(workspaceRoot, config.app.root, '.kernloop', 'profile.json');
  if (!existsSync(path)) return null;
  try {
    const { kernels } = readJson(path, profileSchema, 'FILE_UNREADABLE', 'profile the app again');
    const own = kernels.find((one) => one.symbol === config.symbol && one.code_object === config.code_object);
    return own?.dispatches ?? null;
  } catch (error) {
    // Words about a next step must not end a verdict.
    if (error instanceof KernloopError) return null;
    throw error;
  }
}
