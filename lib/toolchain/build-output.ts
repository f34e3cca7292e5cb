import { basename, extname, resolve } from 'node:path';

/**
 * Absolute path of the file that a build command writes: from the database (`output` of clang's JSON compilation
 * database), or else from the command's words.
 */
export function buildOutput(
  words: readonly string[],
  { directory, file, stated }: { directory: string; file: string; stated: string | undefined },
): string {
  if (stated !== undefined) return resolve(directory, stated);
  return resolve(directory, namedOutput(words) ?? defaultOutput(words, file));
}

/** The last one wins, as in compilers. */
function namedOutput(words: readonly string[]): string | undefined {
  let named: string | undefined;
  words.forEach((word, index) => {
    const joined = /^(?:--output-file=|-o=?)(.+)$/.exec(word)?.[1];
    if (joined !== undefined) named = joined;
    if (word === '-o' || word === '--output-file') named = words[index + 1];
  });
  return named;
}

function defaultOutput(words: readonly string[], file: string): string {
  const compilesOnly = words.some((word) => ['-c', '--compile', '-dc', '--device-c'].includes(word));
  return compilesOnly ? `${basename(file, extname(file))}.o` : 'a.out';
}
