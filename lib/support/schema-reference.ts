import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Folders of the JSON Schemas: in Kernloop's checkout, or else in the installed package. */
const places = ['schemas', join('node_modules', 'kernloop', 'schemas')];

/**
 * Relative path for `$schema` of a project file in `folder`, with which editors complete and check it. Undefined if the
 * workspace has no schema (`kernloop` is installed elsewhere), because editors report broken references.
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
