import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { SourceTree } from './source-tree';

const absoluteInclude = /^([ \t]*#[ \t]*include[ \t]*)(?:"(\/[^"\n]+)"|<(\/[^>\n]+)>)/gm;

/** Makes absolute includes relative, as CMake writes them in unity builds, so that a copy includes the copies. */
export function makeIncludesRelative(copy: string, place: string, tree: SourceTree): void {
  // latin1 preserves every byte of any encoding.
  const text = readFileSync(copy, 'latin1');
  const relative = text.replace(absoluteInclude, (line, start: string, quoted?: string, angled?: string) => {
    const path = Buffer.from(quoted ?? angled ?? '', 'latin1').toString('utf8');
    const included = tree.pathInDeps(path);
    const isCarried = tree.files.some((file) => file.path === included);
    if (included === null || !isCarried) return line;
    return `${start}"${Buffer.from(posix.relative(posix.dirname(place), included), 'utf8').toString('latin1')}"`;
  });
  if (relative !== text) writeFileSync(copy, relative, 'latin1');
}
