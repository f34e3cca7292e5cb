import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Where the JSON Schema of a project file lies: in Kernloop's own checkout, else in the installed package. */
const places = ['schemas', join('node_modules', 'kernloop', 'schemas')];

/**
 * What a project file in `folder` says as its `$schema`, so that editors complete and check it: a path from there. Undefined where the
 * workspace has no schema to point to, as with a `kernloop` from elsewhere: editors complain of a reference that leads nowhere.
 */
export function schemaReference(
  workspaceRoot: string,
  folder: string,
  name: 'kernloop' | 'kernel',
  exists: (path: string) => boolean = existsSync,
): string | undefined {
  const files = places.map((place) => join(workspaceRoot, place, `${name}.schema.json`));
  const file = files.find((path) => exists(path));
  if (file === undefined) return undefined;
  const path = relative(folder, file).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
