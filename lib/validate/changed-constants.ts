import { newLines } from './new-lines';
import { codeOf } from './conditionals';

interface Text {
  readonly before: string;
  readonly after: string;
}

/** A definition of one line, which has no code of its own: a macro without parameters, or a constant. */
const definition =
  /^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]|\b(?:constexpr|const|enum)\b[^=;(]*?\b(\w+)\s*(?:\[[^\]]*\])?\s*[={]/gm;

/**
 * The texts with other letters in the place of each constant that the edit gives another value, in `before` alone: the
 * lines that use it then differ, as their code does. Letters are as many, so that columns stay.
 */
export function withChangedConstants<T extends Text>(files: readonly T[]): T[] {
  const all = files.map(({ after }) => after).join('\n');
  const renamed = new Map(changedIn(files).map((name) => [name, unusedLike(name, all)]));
  if (renamed.size === 0) return [...files];
  const uses = new RegExp(String.raw`\b(?:${[...renamed.keys()].join('|')})\b`, 'g');
  return files.map((file) => {
    const code = codeOf(file.before);
    const before = file.before.replaceAll(uses, (name, offset: number) =>
      code.startsWith(name, offset) ? (renamed.get(name) ?? name) : name,
    );
    return { ...file, before };
  });
}

/** Names that an edited line defines, and that the text before defines otherwise. */
function changedIn(files: readonly Text[]): string[] {
  const names = files.flatMap(({ before, after }) => {
    const lines = after.split('\n');
    const earlier = new Set(before.split('\n').map((line) => line.trim()));
    const put = (newLines(before, after) ?? []).map((line) => lines[line - 1] ?? '');
    const defined = put.filter((line) => !earlier.has(line.trim())).flatMap(namesIn);
    const known = new Set(namesIn(before));
    return defined.filter((name) => known.has(name));
  });
  return [...new Set(names)];
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(definition)].flatMap(([, macro, constant]) => macro ?? constant ?? []);

/** A name of as many letters that the text does not have. */
function unusedLike(name: string, text: string): string {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index));
  const begun = name.slice(0, -1);
  return (
    letters
      .map((letter) => begun + letter)
      .find((one) => one !== name && !new RegExp(String.raw`\b${one}\b`).test(text)) ?? `${begun}_`
  );
}
