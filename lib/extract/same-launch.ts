import { relative } from 'node:path';
import type { App } from '../app/app';
import { captureFile } from '../archive/capture-files';
import { fieldOf, type JsonReader } from '../support/lenient-json';

/**
 * Says which other kernels of the app hold the same dispatch of the same run: an edit of one of them is not in the
 * other.
 */
export function sameLaunches(app: App, name: string, read: JsonReader): string[] {
  const launch = (kernel: string): Launch | undefined => launchIn(app.capture(kernel), read);
  const own = launch(name);
  if (own === undefined) return [];
  return app.config.kernels
    .map((kernel) => kernel.name)
    .filter((other) => other !== name && launch(other)?.run === own.run)
    .map(
      (other) =>
        `${name} is ${sameDispatch} ${other} (${relative(app.workspaceRoot, app.reproducer(other))}): ${notInTheOther}`,
    );
}

export const sameDispatch = 'the same dispatch of the same kernel as';
export const notInTheOther = 'an edit of one is not in the other';

/** A captured dispatch, as texts to compare. */
export interface Launch {
  readonly symbol: string;
  /** The symbol with its code object. */
  readonly code: string;
  /** All that tells one dispatch of one run from others: the command, the launch and the sizes of memory. */
  readonly run: string;
}

/** Undefined without a capture. */
export function launchIn(folder: string, read: JsonReader): Launch | undefined {
  const capture = read(captureFile(folder));
  const field = (...path: string[]): unknown => path.reduce<unknown>((value, name) => fieldOf(value, name), capture);
  const [symbol, codeObject, index] = [
    field('kernel', 'symbol'),
    field('kernel', 'code_object'),
    field('dispatch', 'index'),
  ];
  if ([symbol, codeObject, index].includes(undefined)) return undefined;
  const regions = field('regions');
  const sizes = Array.isArray(regions) ? regions.map((region: unknown) => fieldOf(region, 'size')) : null;
  const code = [symbol, codeObject];
  return {
    symbol: JSON.stringify(symbol),
    code: JSON.stringify(code),
    run: JSON.stringify([...code, index, field('app', 'command'), field('geometry'), sizes]),
  };
}
