import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import { deviceKinds, type DeviceKind } from '../../lib/device/kinds';
import { fieldOf, jsonReader, type JsonReader } from '../../lib/support/lenient-json';
import type { Environment } from '../../lib/support/environment';

/**
 * Variable with the devices whose identity is hashed besides each task's own; the executor refuses others
 * (executors/tracked.ts).
 */
export const namedDevicesVariable = 'KERNLOOP_NAMED_DEVICES';

/**
 * Devices that tasks of this command may use instead of the top-level one in kernloop.json or kernel.json: named by the
 * command line, the environment, options of a stage, or targets that the user wrote. They count for all tasks, which
 * costs only cache hits.
 */
export function namedDevices(
  projectFiles: readonly string[],
  workspaceRoot: string,
  argv: readonly string[],
  env: Environment,
  json: JsonReader = jsonReader(),
): DeviceKind[] {
  const inProject = (file: string): unknown[] => {
    const folder = join(workspaceRoot, dirname(file));
    return [
      fieldOf(json(join(workspaceRoot, file)), 'options'),
      json(join(folder, 'project.json')),
      fieldOf(json(join(folder, 'package.json')), 'nx'),
    ];
  };
  const inWorkspace = [...projectFiles.flatMap(inProject), json(join(workspaceRoot, 'nx.json'))];
  const named = new Set([...flagsOf(argv), env['KERNLOOP_DEVICE'], ...inWorkspace.flatMap(devicesIn)]);
  return deviceKinds.filter((kind) => named.has(kind));
}

/** Values of `--device KIND` and `--device=KIND`. */
function flagsOf(argv: readonly string[]): (string | undefined)[] {
  return argv.map((word, index) => (word === '--device' ? argv[index + 1] : /^--device=(.*)$/.exec(word)?.[1]));
}

/** Values of every field with that name, at any depth. */
function devicesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === 'device' ? [inner] : devicesIn(inner),
  );
}
