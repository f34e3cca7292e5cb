import type { Tree } from 'nx/src/devkit-exports';
import { editJsonText } from '../../lib/support/edit-json';

/** Sets fields of a JSON file and keeps the rest of its text, which Nx's `updateJson` does not. */
export function editJson(tree: Tree, path: string, fields: Readonly<Record<string, unknown>>): void {
  const before = tree.read(path, 'utf-8') ?? '';
  const after = Object.entries(fields).reduce((text, [name, value]) => editJsonText(text, [name], value), before);
  if (after !== before) tree.write(path, after);
}
