import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pristineOnly, reproducerPaths } from '../reproducer/layout';
import { newLines } from '../validate/new-lines';
import { textOf } from './source-text';

/** An edited source of the reproducer, and the numbers of its lines that pristine/ lacks. */
export interface EditedFile {
  readonly file: string;
  readonly lines: readonly number[];
}

/** Sources that differ from pristine/; a file whose changes take too long to find out is left out. */
export function editedFiles(root: string): EditedFile[] {
  const { pristine } = reproducerPaths(root);
  if (!existsSync(pristine)) return [];
  return readdirSync(pristine, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(pristine, join(entry.parentPath, entry.name)))
    .filter((file) => !pristineOnly.includes(file) && /\.(?:hip|cu|cuh|c|cc|cpp|cxx|h|hh|hpp|hxx|inl|py)$/.test(file))
    .flatMap((file) => {
      const [before, after] = [textOf(pristine, file), textOf(root, file)];
      const lines = before && after && newLines(before.join('\n'), after.join('\n'));
      return lines && lines.length > 0 ? [{ file, lines }] : [];
    });
}
