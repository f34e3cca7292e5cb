import type { Tree } from 'nx/src/devkit-exports';
import { applyEdits, modify } from 'jsonc-parser';

/**
 * Sets fields of a JSON file and keeps the rest of its text, including comments and layout, which Nx's `updateJson`
 * drops.
 */
export function editJson(tree: Tree, path: string, fields: Readonly<Record<string, unknown>>): void {
  const before = tree.read(path, 'utf-8') ?? '';
  const formattingOptions = layoutOf(before);
  const after = Object.entries(fields).reduce(
    (text, [name, value]) => applyEdits(text, modify(text, [name], value, { formattingOptions })),
    before,
  );
  if (after !== before) tree.write(path, after);
}

function layoutOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
