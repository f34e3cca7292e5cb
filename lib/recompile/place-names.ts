/** Names by which any of the compilers says where a source lies. */
const placeNames = [
  ...['__FILE__', '__FILE_NAME__', '__BASE_FILE__'],
  ...['__builtin_FILE', '__builtin_FILE_NAME', '__builtin_source_location'],
];
const timeNames = ['__DATE__', '__TIME__', '__TIMESTAMP__'];

const word = (names: readonly string[]): RegExp => new RegExp(`(?<![\\w$])(?:${names.join('|')})(?![\\w$])`);
const countOf = (pattern: RegExp, text: string): number => text.split(pattern).length - 1;
const place = word([...placeNames, 'source_location']);
const time = word(timeNames);
const paste = /##|%:%:/;
/** Beginnings of a name that a macro may paste together: hardly any other source has such a word. */
const beginnings = word([
  ...new Set([...placeNames, ...timeNames].flatMap((name) => Array.from(name, (_, at) => name.slice(0, at)).slice(1))),
]);

export interface Asking {
  /** The first file that asks, by its place among those given. */
  readonly first: number;
  readonly when: boolean;
}

/** Whether these sources ask where or when they are compiled, as their texts have it; null if they cannot. */
export function askingFor(texts: readonly string[]): Asking | null {
  const named = texts.findIndex((text) => place.test(text) || time.test(text));
  // The macro may be in one file, and what it pastes in another.
  const pasted = texts.some((text) => paste.test(text)) ? texts.findIndex((text) => beginnings.test(text)) : -1;
  const first = named >= 0 ? named : pasted;
  return first < 0 ? null : { first, when: texts.some((text) => time.test(text)) };
}

/** Whether an edit of this text asks more often: macros that check errors ask in most sources, and do so in the app, too. */
export const asksMore = (edited: string, before: string): boolean =>
  [place, time, beginnings].some((pattern) => countOf(pattern, edited) > countOf(pattern, before));
