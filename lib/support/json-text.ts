import { basename } from 'node:path';
import { parse, stripComments, type ParseError } from 'jsonc-parser';
import { kernloopFile } from './project-file-names';

/** Value of the text of a JSON file. kernloop.json, which people write, may have comments. */
export function valueOfJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (basename(path) !== kernloopFile) throw withLine(error, text);
    try {
      // Blanks in place of comments keep the positions in the message.
      return JSON.parse(stripComments(text, ' '));
    } catch (other) {
      throw withLine(other, text);
    }
  }
}

/** Node's message has the position of some errors, from which readers tell the line (schema.ts), and nothing of others. */
function withLine(error: unknown, text: string): unknown {
  if (!(error instanceof SyntaxError) || /\(line \d+|at position \d+/.test(error.message)) return error;
  const errors: ParseError[] = [];
  parse(text, errors);
  const [first] = errors;
  if (first === undefined) return error;
  const lines = text.slice(0, first.offset).split('\n');
  return new SyntaxError(`${error.message} (line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1})`);
}
