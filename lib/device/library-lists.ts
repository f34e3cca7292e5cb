import type { Environment } from '../support/environment';

/**
 * LD_PRELOAD with the library's name alone, which the library path resolves: the separators of LD_PRELOAD cannot be
 * escaped.
 */
export function preloaded(library: string, env: Environment): string {
  const present = (env['LD_PRELOAD'] ?? '').split(/[\s:]+/).filter(Boolean);
  return [...present.filter((name) => name !== library), library].join(':');
}

/** Prepends a folder to a library path. */
export function firstOf(folder: string, path: string | undefined): string {
  return path ? `${folder}:${path}` : folder;
}
