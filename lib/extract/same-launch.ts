import { relative } from 'node:path';
import type { App } from '../app/app';
import { captureFile } from '../archive/capture-files';
import { fieldOf, type JsonReader } from '../support/lenient-json';

/** Says which other kernels of the app hold the same dispatch: an edit of one of them is not in the other. */
export function sameLaunches(app: App, name: string, read: JsonReader): string[] {
  const launchOf = (kernel: string): string | undefined => {
    const capture = read(captureFile(app.capture(kernel)));
    const parts = [
      fieldOf(fieldOf(capture, 'kernel'), 'symbol'),
      fieldOf(fieldOf(capture, 'kernel'), 'code_object'),
      fieldOf(fieldOf(capture, 'dispatch'), 'index'),
    ];
    return parts.includes(undefined) ? undefined : JSON.stringify(parts);
  };
  const own = launchOf(name);
  if (own === undefined) return [];
  return app.config.kernels
    .map((kernel) => kernel.name)
    .filter((other) => other !== name && launchOf(other) === own)
    .map(
      (other) =>
        `${name} is the same dispatch of the same kernel as ${other} (${relative(app.workspaceRoot, app.reproducer(other))}): an edit of one is not in the other`,
    );
}
