import { join } from 'node:path/posix';
import { notCommitted } from '../stage/writes';

/** Files that stages write and nobody commits. */
const outputs = ['.kernloop/', ...notCommitted.map((name) => `**/kernels/*/*/${name}`), '*.partial-*'];

/** A .gitignore (null if there is none) with the lines that it lacks, and their number. */
export function withOutputsIgnored(before: string | null, more: readonly string[]): { text: string; added: number } {
  const text = before ?? '';
  const present = new Set(text.split('\n').map((line) => line.trim().replace(/^\//, '')));
  const missing = [...more, ...outputs].filter((line) => {
    const [folder = ''] = line.split('/');
    return ![line, folder, `${folder}/`].some((form) => present.has(form));
  });
  if (missing.length === 0) return { text, added: 0 };
  return {
    text: `${beforeMore(text)}# Kernloop: commit all of a reproducer, except for what its stages write\n${missing.join('\n')}\n`,
    added: missing.length,
  };
}

/**
 * The .gitignore of an app with what its build writes; null if nothing is missing. `files`: texts of the .gitignore of
 * the app and of the workspace, null if there is none. `directory`: the app's folder in the workspace.
 */
export function withBuildIgnored(
  files: { app: string | null; workspace: string | null },
  directory: string,
  built: readonly string[],
): string | null {
  const own = linesOf(files.app);
  const outer = linesOf(files.workspace);
  const missing = built.filter((output) => {
    const names = output.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
    const isAnywhere = output.split('/').some((part) => own.has(part) || outer.has(part) || outer.has(`**/${part}`));
    return !isAnywhere && !names.some((name) => own.has(name) || outer.has(join(directory, name)));
  });
  if (missing.length === 0) return null;
  return `${beforeMore(files.app ?? '')}# Kernloop: what the build writes\n${missing.map((output) => `/${output}\n`).join('')}`;
}

/** Patterns without the slashes that begin or end them. */
const linesOf = (text: string | null): Set<string> =>
  new Set((text ?? '').split('\n').map((line) => line.trim().replaceAll(/^\/|\/$/g, '')));

const beforeMore = (text: string): string => `${text}${text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'}`;
