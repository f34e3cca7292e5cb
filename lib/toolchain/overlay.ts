import { z } from 'zod';
import type { Recipe } from './recipe';

/** A clang VFS overlay. It has no relative names, so `{reproducer}` is replaced by the absolute folder at use. */
export const overlaySchema = z.strictObject({
  version: z.literal(0),
  'case-sensitive': z.literal(true),
  /** Makes diagnostics and dependency output name the file that the user edits. */
  'use-external-names': z.literal(true),
  roots: z.array(z.strictObject({ type: z.literal('file'), name: z.string(), 'external-contents': z.string() })),
});

export type Overlay = z.output<typeof overlaySchema>;

const reproducerPlaceholder = '{reproducer}';

/** Maps the original file to the user's copy, and every alias to its file. */
export function overlayTemplate({ variant, aliases }: Pick<Recipe, 'variant' | 'aliases'>): Overlay {
  const place = (path: string): string => `${reproducerPlaceholder}/deps/${path}`;
  const content = (path: string): string =>
    path === variant.stands_for ? `${reproducerPlaceholder}/${variant.file}` : place(path);
  const entries = [[variant.stands_for, variant.stands_for], ...Object.entries(aliases)] as [string, string][];
  return {
    version: 0,
    'case-sensitive': true,
    'use-external-names': true,
    roots: entries.map(([name, path]) => ({ type: 'file', name: place(name), 'external-contents': content(path) })),
  };
}

export function renderOverlay(template: Overlay, reproducer: string): Overlay {
  const fill = (path: string): string => path.replace(reproducerPlaceholder, () => reproducer);
  return {
    ...template,
    roots: template.roots.map((entry) => ({
      ...entry,
      name: fill(entry.name),
      'external-contents': fill(entry['external-contents']),
    })),
  };
}
