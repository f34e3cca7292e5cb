import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { App } from './app';

/** Compile database written by watching a build, below the app's folder. */
export const watchedDatabase = '.kernloop/watched/compile_commands.json';

/**
 * Absolute path of an app's compile database: the one that kernloop.json names, else the one recorded while its build
 * was watched.
 */
export function compileDatabaseOf({ root, config }: Pick<App, 'root' | 'config'>): string | undefined {
  const named = config.compileCommands === undefined ? undefined : resolve(root, config.compileCommands);
  if (named !== undefined && existsSync(named)) return named;
  const watched = join(root, watchedDatabase);
  return existsSync(watched) ? watched : named;
}
