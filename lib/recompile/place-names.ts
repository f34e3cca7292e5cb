/** Names by which compilers give the path of a source. */
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
/** Prefixes of a name that a macro may paste together: hardly any other source has such a word. */
const beginnings = word([
  ...new Set([...placeNames, ...timeNames].flatMap((name) => Array.from(name, (_, at) => name.slice(0, at)).slice(1))),
]);

export interface Asking {
  /** Index of the first text that asks. */
  readonly first: number;
  readonly when: boolean;
}

/** Whether the texts of these sources ask for their path or the time of compilation; null if they cannot. */
export function askingFor(texts: readonly string[]): Asking | null {
  const named = texts.findIndex((text) => place.test(text) || time.test(text));
  // The macro may be in one file, and the words that it pastes in another.
  const pasted = texts.some((text) => paste.test(text)) ? texts.findIndex((text) => beginnings.test(text)) : -1;
  const first = named >= 0 ? named : pasted;
  return first < 0 ? null : { first, when: texts.some((text) => time.test(text)) };
}

/** Whether an edit adds such names: macros that check errors use them in most sources, and do so in the app, too. */
export const asksMore = (edited: string, before: string): boolean =>
  [place, time, beginnings].some((pattern) => countOf(pattern, edited) > countOf(pattern, before));
