import { isAbsolute, join } from 'node:path';
import type { Environment } from './environment';

/** A file in the user's cache, shared by all workspaces: in XDG_CACHE_HOME or ~/.cache. Undefined if neither is set. */
export function userCacheFile(env: Environment, name: string): string | undefined {
  const home = env['HOME'];
  const folders = [env['XDG_CACHE_HOME'], home ? join(home, '.cache') : undefined];
  const folder = folders.find((each) => each && isAbsolute(each));
  return folder ? join(folder, 'kernloop', name) : undefined;
}
