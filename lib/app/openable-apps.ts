import { KernloopError } from '../support/error';
import { openApp, type App } from './app';
import { appsIn } from './apps-in';

/** Apps of a workspace that can be read. */
export function openableApps(workspaceRoot: string): App[] {
  return appsIn(workspaceRoot).folders.flatMap((folder) => {
    try {
      return [openApp(folder)];
    } catch (error) {
      if (error instanceof KernloopError) return [];
      throw error;
    }
  });
}
