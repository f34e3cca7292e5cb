import type { Environment } from '../support/environment';

/** By its name alone, which the library path leads to: the separators of LD_PRELOAD cannot be escaped. */
export function preloaded(library: string, env: Environment): string {
  const present = (env['LD_PRELOAD'] ?? '').split(/[\s:]+/).filter(Boolean);
  return [...present.filter((name) => name !== library), library].join(':');
}

/** A folder before those that a library path has. */
export function firstOf(folder: string, path: string | undefined): string {
  return path ? `${folder}:${path}` : folder;
}
