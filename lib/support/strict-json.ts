import { visit } from 'jsonc-parser';

/** Levels of nesting that are read; no file of Kernloop has a third of them. */
const mostLevels = 64;

/**
 * Value of JSON that somebody may have written to be read in two ways: refuses text that other parsers could take for
 * another value (I-JSON, RFC 7493).
 */
export function strictJson(bytes: Buffer): unknown {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const value: unknown = JSON.parse(text);
  requireOneMeaning(text);
  return value;
}

function requireOneMeaning(text: string): void {
  /** Names met in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  const begin = (names: Set<string> | null): void => {
    open.push(names);
    if (open.length > mostLevels) throw new Error(`it is nested in more than ${mostLevels} levels`);
  };
  const end = (): void => void open.pop();
  visit(text, {
    onObjectBegin: () => begin(new Set()),
    onObjectEnd: end,
    onArrayBegin: () => begin(null),
    onArrayEnd: end,
    onObjectProperty: (name, _offset, _length, line) => {
      const names = open.at(-1);
      // Assigning it would replace the prototype of an object.
      if (name === '__proto__') throw new Error(`line ${line + 1} has the key "__proto__"`);
      if (names?.has(name)) throw new Error(`line ${line + 1} has the key ${JSON.stringify(name)} a second time`);
      names?.add(name);
    },
    onLiteralValue: (value: unknown, offset, length, line) => {
      if (typeof value === 'number' && !isExact(text.slice(offset, offset + length)))
        throw new Error(`line ${line + 1} has a number that no double holds: ${text.slice(offset, offset + length)}`);
    },
  });
}

/** Parsers with longer integers, as Python's, read another value where a double rounds. */
function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(token) || Number.isSafeInteger(value) || JSON.stringify(value) === token;
}
