import { openApp, selectedKernels } from '../app/app';
import { adopt } from '../adopt/adopt';
import type { Deps } from '../deps/deps';
import type { ExtractOptions } from './options';

/** Adopts generated projects: the last step of extract, and the one that writes files which a user may edit. */
export async function adoptKernels(
  { app: folder, kernel, reset }: Pick<ExtractOptions, 'app' | 'kernel' | 'reset'>,
  deps: Pick<Deps, 'report'>,
): Promise<boolean> {
  const app = openApp(folder);
  const names = selectedKernels(app, kernel, deps.report);
  for (const name of names) await adopt({ reproducer: app.reproducer(name), reset }, deps);
  return true;
}
