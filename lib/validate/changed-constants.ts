import { newLines } from './new-lines';
import { codeOf } from './conditionals';

interface Text {
  readonly before: string;
  readonly after: string;
}

/** A macro without parameters. */
const macro = /^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]/;

const constant = /\b(constexpr|const)\b[^=;(]{0,100}?\b(\w+)\s*(?:\[[^\]]*\])?\s*[={]([^;]*)/;

/**
 * The texts with other letters in the place of each constant that the edit gives another value, in `before` alone: the
 * lines that use it then differ, as their code does. Letters are as many, so that columns stay.
 */
export function withChangedConstants<T extends Text>(files: readonly T[]): T[] {
  const changed = changedIn(files);
  if (changed.length === 0) return [...files];
  const all = files.map(({ after }) => after).join('\n');
  const renamed = new Map(changed.map((name) => [name, unusedLike(name, all)]));
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
    if (before === after) return [];
    const values = enumeratorsIn(before);
    const enumerators = [...enumeratorsIn(after)].flatMap(([name, value]) =>
      (values.get(name) ?? value) === value ? [] : [name],
    );
    const lines = after.split('\n');
    const earlier = new Set(before.split('\n').map((line) => line.trim()));
    const put = (newLines(before, after) ?? []).map((line) => lines[line - 1] ?? '');
    const defined = put.filter((line) => !earlier.has(line.trim())).flatMap(namesIn);
    const known = new Set(namesIn(before));
    return [...defined.filter((name) => known.has(name)), ...enumerators];
  });
  return [...new Set(names)];
}

/** Values of enumerators, as text: one without a value is the one before it and 1. */
function enumeratorsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, body = ''] of codeOf(text).matchAll(/\benum\b[^{};]{0,200}\{([^{}]*)\}/g)) {
    let next = { value: '0', step: 0 };
    for (const part of body.split(',')) {
      const [, name, value] = /^\s*(\w+)\s*(?:=([\s\S]*))?$/.exec(part) ?? [];
      if (name === undefined) continue;
      if (value !== undefined) next = { value: value.replaceAll(/\s+/g, ''), step: 0 };
      const isNumber = /^(?:0x[\da-f]+|\d+)$/i.test(next.value);
      found.set(name, isNumber ? String(Number(next.value) + next.step) : `${next.value}+${next.step}`);
      next = { ...next, step: next.step + 1 };
    }
  }
  return found;
}

const namesIn = (text: string): string[] => text.split('\n').flatMap((line) => nameIn(line) ?? []);

/** The name that a line defines without code of its own. A `const` of other values is a variable, which has code. */
function nameIn(line: string): string | undefined {
  const [, word, name, value = ''] = constant.exec(line) ?? [];
  const isVariable = word === 'const' && /[a-z_]/i.test(value.replaceAll(/\b\d[\w.]*/g, ''));
  return macro.exec(line)?.[1] ?? (isVariable ? undefined : name);
}

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
