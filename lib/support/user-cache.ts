import { isAbsolute, join } from 'node:path';
import type { Environment } from './environment';

/** A file of the user's cache, for all workspaces: in ~/.cache, or XDG_CACHE_HOME. Undefined where there is neither. */
export function userCacheFile(env: Environment, name: string): string | undefined {
  const home = env['HOME'];
  const folders = [env['XDG_CACHE_HOME'], home ? join(home, '.cache') : undefined];
  const folder = folders.find((each) => each && isAbsolute(each));
  return folder ? join(folder, 'kernloop', name) : undefined;
}
