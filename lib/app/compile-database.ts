import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { App } from './app';

/** What watching a build writes, below the app's folder. */
export const watchedDatabase = '.kernloop/watched/compile_commands.json';

/** The compile database of an app, absolute: the one that it names, else what was seen when its build was watched. */
export function compileDatabaseOf({ root, config }: Pick<App, 'root' | 'config'>): string | undefined {
  const named = config.compileCommands === undefined ? undefined : resolve(root, config.compileCommands);
  if (named !== undefined && existsSync(named)) return named;
  const watched = join(root, watchedDatabase);
  return existsSync(watched) ? watched : named;
}
