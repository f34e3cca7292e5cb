import { isAbsolute, relative } from 'node:path';
import { isInside } from '../support/files';
import type { Diagnostic } from './judgement-json';

const most = 100;
const longest = 2000;

/** Formats of clang and gcc, `file:line:column: error: words`, and of nvcc, `file(line): error: words`. */
const ofClang = /^(.+?):(\d+):(?:(\d+):)? (?:fatal )?(error|warning): (.*)$/;
const ofNvcc = /^(.+?)\((\d+)\)()\s?: (?:catastrophic )?(error|warning)(?: #\S+)?: (.*)$/;

/** Diagnostics in a compiler's output, with the names that the candidate gives its files; the rest has no place. */
export function diagnosticsIn(output: string, root: string): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const line of output.split('\n')) {
    const [, path, row, column, severity, message] = ofClang.exec(line) ?? ofNvcc.exec(line) ?? [];
    if (path === undefined || message === undefined) continue;
    const diagnostic: Diagnostic = {
      file: isAbsolute(path) && isInside(root, path) ? relative(root, path) : path,
      line: Number(row),
      column: column ? Number(column) : null,
      severity: severity === 'error' ? 'error' : 'warning',
      message: message.slice(0, longest),
    };
    // nvcc compiles a file several times.
    found.set(JSON.stringify(diagnostic), diagnostic);
  }
  const all = [...found.values()];
  return [
    ...all.filter(({ severity }) => severity === 'error'),
    ...all.filter(({ severity }) => severity === 'warning'),
  ].slice(0, most);
}
