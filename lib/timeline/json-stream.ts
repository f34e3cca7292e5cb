import { closeSync, openSync, readSync } from 'node:fs';
import { invalidEvents } from './invalid';

/** Text of one top-level value of a JSON object, or of one element of a requested list. */
export interface JsonPart {
  readonly key: string;
  readonly isElement: boolean;
  readonly text: string;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
const pieceBytes = 1 << 16;
/** An event has some hundred bytes, the metadata some thousand. */
const mostPartBytes = 1 << 20;
const mostDepth = 64;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Parts of an object, one at a time, so that a file of any size needs the memory of one part. Only the boundaries of
 * parts are found here; JSON.parse checks each part.
 */
export function* jsonParts(path: string, lists: ReadonlySet<string>): Generator<JsonPart> {
  const part = Buffer.allocUnsafe(mostPartBytes);
  let [length, at] = [0, 0];
  let [depth, inString, isEscaped, isList, isDone] = [0, false, false, false, false];
  let key: string | null = null;
  const taken = (): string => {
    const value = part.toString('utf8', 0, length).trim();
    length = 0;
    return value;
  };
  const invalid = (what: string): Error => invalidEvents(path, `${what} at byte ${at} of the JSON`);
  for (const { piece, offset } of pieces(path)) {
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index] ?? 0;
      at = offset + index;
      const home = isList ? 2 : 1;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) {
        if (depth === 0) throw invalid('a string outside of the object');
        inString = true;
      } else if (byte === openObject || byte === openList) {
        if (isDone || (depth === 0 && byte === openList)) throw invalid('something that is no one object');
        if (++depth > mostDepth) throw invalid(`${mostDepth} levels`);
        if (depth === 1) continue;
        if (depth === 2 && byte === openList && key !== null && lists.has(key) && taken() === '') {
          isList = true;
          continue;
        }
      } else if (byte === closeObject || byte === closeList) {
        if (depth-- === 0) throw invalid('a bracket too many');
        if (depth === home - 1) {
          if ((byte === closeList) !== isList) throw invalid('a bracket of the other kind');
          const text = taken();
          if (key !== null && text !== '') yield { key, isElement: isList, text };
          else if (key === null && text !== '') throw invalid('a name without a value');
          if (isList) isList = false;
          else isDone = true;
          key = isDone ? null : key;
          continue;
        }
      } else if (byte === colon && depth === 1 && key === null) {
        const name: unknown = parsed(taken(), path);
        if (typeof name !== 'string') throw invalid('a value without a name');
        key = name;
        continue;
      } else if (byte === comma && depth === home) {
        const text = taken();
        if (key !== null && text !== '') yield { key, isElement: isList, text };
        if (!isList) key = null;
        continue;
      }
      if (isDone && !isSpace(byte)) throw invalid('something behind the object');
      if (length === 0 && isSpace(byte)) continue;
      if (length === mostPartBytes) throw invalid(`a value of more than ${mostPartBytes} bytes`);
      part[length++] = byte;
    }
  }
  if (!isDone) throw invalidEvents(path, 'its JSON has no end');
}

export function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidEvents(path, `${text.slice(0, 80)} is no JSON`);
  }
}

function* pieces(path: string): Generator<{ piece: Buffer; offset: number }> {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(pieceBytes);
    for (let offset = 0; ;) {
      const read = readSync(file, buffer, 0, pieceBytes, null);
      if (read === 0) return;
      yield { piece: buffer.subarray(0, read), offset };
      offset += read;
    }
  } finally {
    closeSync(file);
  }
}
