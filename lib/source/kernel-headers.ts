/** A source text with kernel headers reduced to what the grammar parses; every character keeps its position. */
export interface PlainHeaders {
  text: string;
  /** Number of kernel headers followed by a body. */
  count: number;
}

/**
 * Blanks everything around a kernel's name that is not part of its signature: attributes, macros and preprocessor
 * lines. A kernel returns void, so everything between `__global__` and the name can become `void`.
 */
export function plainHeaders(text: string): PlainHeaders {
  const code = withoutCommentsAndDirectives(text);
  const headers = [...code.matchAll(/\b__global__\b/g)]
    .map(({ index }) => readHeader(code, index))
    .filter((found) => found !== null);
  let plain = text;
  for (const { start, specifier, name, parameters, body } of headers) {
    const after = specifier + '__global__'.length;
    plain =
      plain.slice(0, start) +
      blank(code.slice(start, specifier)) +
      '__global__' +
      asVoid(code.slice(after, name)) +
      code.slice(name, parameters) +
      blank(code.slice(parameters, body)) +
      plain.slice(body);
  }
  return { text: plain, count: headers.length };
}

/** Offsets in the text, ascending. */
interface Header {
  /** Start of the macros with arguments before `__global__`; equals `specifier` if there are none. */
  start: number;
  specifier: number;
  name: number;
  /** End of the parameter list. */
  parameters: number;
  body: number;
}

/** Headers are short; a longer one means that the file cannot be parsed. */
const maxHeaderCharacters = 16_384;

function readHeader(code: string, specifier: number): Header | null {
  const from = specifier + '__global__'.length;
  const limit = Math.min(code.length, from + maxHeaderCharacters);
  let chosen: { name: number; parameters: number } | null = null;
  let isCertain = false;
  for (let at = from; at < limit; at += 1) {
    const character = code[at];
    if (character === ';' || code.startsWith('__global__', at)) return null;
    if (character === '{') {
      return chosen && { start: macrosBefore(code, specifier), specifier, ...chosen, body: at };
    }
    if (character !== '(') continue;
    const close = closing(code, at, limit);
    if (close < 0) return null;
    const name = nameBefore(code.slice(from, at));
    if (name !== null && !isCertain && !neverNames.test(name.base)) {
      chosen = { name: from + name.at, parameters: close + 1 };
      // A name in capitals may be a macro with arguments, so a later name is preferred.
      isCertain = !/^[A-Z][A-Z0-9_]*$/.test(name.base);
    }
    at = close;
  }
  return null;
}

const neverNames = /^(__\w+__|__maxnreg__|__declspec|alignas|noexcept|decltype|requires|throw|sizeof)$/;

/** Finds the name at the end of a text, with its scope and specialisation arguments: `a::k<int, (T)7>`. */
function nameBefore(text: string): { at: number; base: string } | null {
  const match = /((?:[A-Za-z_]\w*\s*::\s*)*)([A-Za-z_]\w*)\s*(?:<[^;{}]*>\s*)?$/.exec(text.slice(-2048));
  if (!match) return null;
  return { at: Math.max(0, text.length - 2048) + match.index, base: match[2] ?? '' };
}

/** Start of `LIB_EXPORT(1) __launch_bounds__(64) static` before `__global__`; no statement ends with a bare `)`. */
function macrosBefore(code: string, specifier: number): number {
  let start = specifier;
  for (;;) {
    const before = code.slice(Math.max(0, start - 2048), start).trimEnd();
    const end = start - Math.min(start, 2048) + before.length;
    const word = /\b(?:static|inline|constexpr)$/.exec(before);
    const group = before.endsWith(')') ? macroCall(code, end - 1) : null;
    if (word) start = end - word[0].length;
    else if (group !== null) start = group;
    // Preprocessor conditions that open after template parameters close before `__global__`.
    else return before.endsWith('>') ? end : start;
  }
}

function macroCall(code: string, close: number): number | null {
  const open = opening(code, close);
  const word = open < 0 ? null : /[A-Za-z_]\w*\s*$/.exec(code.slice(Math.max(0, open - 256), open));
  return word && open - word[0].length;
}

function closing(code: string, open: number, limit: number): number {
  let depth = 0;
  for (let at = open; at < limit; at += 1) {
    if (code[at] === '(') depth += 1;
    if (code[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

function opening(code: string, close: number): number {
  let depth = 0;
  for (let at = close; at >= 0 && at > close - maxHeaderCharacters; at -= 1) {
    if (code[at] === ')') depth += 1;
    if (code[at] === '(' && --depth === 0) return at;
  }
  return -1;
}

function withoutCommentsAndDirectives(text: string): string {
  const comments =
    /\/\/(?:\\\n|[^\n])*|\/\*[^]*?\*\/|R"([^()\\\s]{0,16})\([^]*?\)\1"|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])'/g;
  return text.replace(comments, blank).replace(/^[ \t]*#(?:\\\r?\n|[^\n])*/gm, blank);
}

/** Keeps line ends, so that line numbers stay. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** Writes `void` into blanked text; empty (the type precedes `__global__`) or too short text stays. */
function asVoid(text: string): string {
  const place = blank(text).indexOf('      ');
  if (text.trim() === '' || place < 0) return text;
  const empty = blank(text);
  return `${empty.slice(0, place + 1)}void${empty.slice(place + 5)}`;
}
