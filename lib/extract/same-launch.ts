import { relative } from 'node:path';
import type { App } from '../app/app';
import { captureFile } from '../archive/capture-files';
import { fieldOf, type JsonReader } from '../support/lenient-json';

/**
 * Says which other kernels of the app hold the same dispatch of the same run, as far as the command, the launch and the
 * sizes of memory tell: an edit of one of them is not in the other.
 */
export function sameLaunches(app: App, name: string, read: JsonReader): string[] {
  const launchOf = (kernel: string): string | undefined => {
    const capture = read(captureFile(app.capture(kernel)));
    const field = (...path: string[]): unknown => path.reduce<unknown>((value, name) => fieldOf(value, name), capture);
    const parts = [field('kernel', 'symbol'), field('kernel', 'code_object'), field('dispatch', 'index')];
    if (parts.includes(undefined)) return undefined;
    const regions = field('regions');
    const sizes = Array.isArray(regions) ? regions.map((region: unknown) => fieldOf(region, 'size')) : null;
    return JSON.stringify([...parts, field('app', 'command'), field('geometry'), sizes]);
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
