import { isUtf8 } from 'node:buffer';
import { readdirSync, statSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import { KernloopError } from '../support/error';
import { readRegularFile } from '../support/regular-file';
import { parseJson, readText } from '../support/schema';
import { bounds, candidateSchema, type CandidateInput } from './candidate-json';

/** Candidate that a path of the command line names. `variant`: the file that a single source replaces. */
export function candidateAt(path: string, variant: string): CandidateInput {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { label: path, files: filesIn(path) };
  if (extname(path) === '.json') {
    const text = readText(path, 'FILE_UNREADABLE', 'name a file that exists');
    const { label = path, ...candidate } = parseJson(path, text, candidateSchema);
    return { ...candidate, label };
  }
  if (found !== undefined && extname(path) !== extname(variant)) {
    throw new KernloopError(
      'USAGE',
      `${path} is no candidate: a single source replaces ${variant}, and would be named like it`,
      `give it the extension ${extname(variant)}, or name a folder or a JSON document`,
    );
  }
  const text = readText(path, 'FILE_UNREADABLE', 'name a file that exists');
  requireUtf8(path);
  return { label: path, files: { [variant]: text } };
}

function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  if (entries.length === 0 || entries.length > bounds.files) {
    throw new KernloopError(
      'CANDIDATE_REFUSED',
      `${folder} holds ${entries.length} files, and a candidate has 1 to ${bounds.files}`,
      `put only the files there that differ from those of the reproducer (${basename(folder)}/kernel_variant.*)`,
    );
  }
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      requireUtf8(path);
      return [relative(folder, path).split(sep).join('/'), readRegularFile(path, 'utf8')];
    }),
  );
}

/** Refuses bytes that no text has: two files that differ in such bytes would be the same candidate. */
function requireUtf8(path: string): void {
  if (isUtf8(readRegularFile(path))) return;
  throw new KernloopError('CANDIDATE_REFUSED', `${path} is not UTF-8`, 'save it as UTF-8: candidates are sent as text');
}
