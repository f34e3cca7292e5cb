import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reproducerPaths } from '../reproducer/layout';
import { readVariantJson, type Reproducer } from '../reproducer/reproducer';
import { resolveInside, sha256 } from '../support/files';
import { readRegularFile } from '../support/regular-file';
import type { SourceLine } from '../toolchain/line-table';
import { withChangedConstants } from './changed-constants';
import { changesIn, newLines } from './new-lines';

/** A file that was edited since extraction, and the numbers of its lines that were added or changed. */
export interface EditedFile {
  readonly file: string;
  /** The text at extraction. */
  readonly original: string;
  /** The same with other letters for each constant that has another value now. */
  readonly before: string;
  readonly after: string;
  readonly lines: readonly number[];
}

/** Edited files among those that the compiler read; null if that is not known. */
export function filesOfEdit(reproducer: Reproducer): EditedFile[] | null {
  const { root } = reproducer;
  const { pristine } = reproducerPaths(root);
  const { sources } = readVariantJson(reproducer);
  const texts: Pick<EditedFile, 'file' | 'original' | 'before' | 'after'>[] = [];
  for (const [file, digest] of Object.entries(sources)) {
    const path = join(pristine, file);
    const after = readRegularFile(resolveInside(root, file, 'build/variant.json: sources'), 'utf8');
    if (sha256(after) !== digest) return null;
    const original = existsSync(path) ? readRegularFile(path, 'utf8') : '';
    texts.push({ file, original, before: original, after });
  }
  const edited: EditedFile[] = [];
  for (const text of withChangedConstants(texts)) {
    if (text.before === text.after) continue;
    const lines = newLines(text.before, text.after);
    if (lines === null) return null;
    edited.push({ ...text, lines });
  }
  return edited;
}

/** Beginning of each change of the edit: its first line, or the line behind what was removed. Empty if not known. */
export function placesOfEdit(reproducer: Reproducer): SourceLine[] {
  return (filesOfEdit(reproducer) ?? []).flatMap(({ file, original, after }) =>
    (changesIn(original, after) ?? []).map((line) => ({ file, line })),
  );
}

/** Whether the compiler counts lines otherwise than an editor: `#line`, and carriage returns alone. */
export const hasOtherLines = (text: string): boolean => /^[ \t]*#[ \t]*(?:line\b|\d)|\r(?!\n)/m.test(text);
