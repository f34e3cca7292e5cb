/** Splits a command line as a POSIX shell does, without expansions: the `command` form of a compile database. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (character === "'" || character === '"') {
      const quoted = readQuoted(line, index, character);
      word = (word ?? '') + quoted.text;
      index = quoted.end;
    } else if (character === '\\') {
      index += 1;
      if (line[index] !== '\n') word = (word ?? '') + (line[index] ?? '');
    } else if (character === ' ' || character === '\t' || character === '\n') {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === null ? words : [...words, word];
}

/** Words of a command that a shell would start unchanged; null if it might expand, redirect or split it. */
export function plainShellWords(line: string): string[] | null {
  return plain.test(line) ? shellWords(line) : null;
}

/** Only ASCII, because hipcc puts a backslash before each byte of other characters. */
const plain = /^(?=[ -~\t]*$)(?:[-\w+=,./:@% \t]|\\.|"(?:[^"\\$`]|\\.)*"|'[^']*')*$/;

function readQuoted(line: string, start: number, quote: string): { text: string; end: number } {
  let text = '';
  let index = start + 1;
  for (; index < line.length && line[index] !== quote; index += 1) {
    // Inside double quotes a backslash escapes only these; inside single quotes nothing.
    if (quote === '"' && line[index] === '\\' && '"\\$`\n'.includes(line[index + 1] ?? ' ')) {
      index += 1;
      if (line[index] === '\n') continue;
    }
    text += line[index] ?? '';
  }
  return { text, end: index };
}
