import type { App } from '../app/app';
import { KernloopError } from '../support/error';

/** The named kernels, each once; all that the app declares where none is named. */
export function selectedKernels(app: App, named: readonly string[]): string[] {
  const kernels = named.length > 0 ? [...new Set(named)] : app.config.kernels.map(({ name }) => name);
  for (const kernel of kernels) app.kernel(kernel);
  if (kernels.length > 0) return kernels;
  throw new KernloopError(
    'KERNEL_UNKNOWN',
    `${app.config.name} declares no kernel`,
    'add one to "kernels" of kernloop.json; `kernloop profile` lists what the app launches',
  );
}
