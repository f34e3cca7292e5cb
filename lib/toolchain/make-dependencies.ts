/** Parses a compiler's `-M` output: the prerequisites of every rule, in order, without duplicates. */
export function parseMakeDependencies(text: string): string[] {
  const words = makeWords(text);
  return [...new Set(words.filter((word) => !word.isTarget).map((word) => word.text))];
}

interface MakeWord {
  text: string;
  isTarget: boolean;
}

/** `\ ` is a space, `\#` a hash, `$$` a dollar, `\` before a newline a continuation; other backslashes are literal. */
function makeWords(text: string): MakeWord[] {
  const words: MakeWord[] = [];
  let word = '';
  let beforeColon = true;
  const end = (): void => {
    if (word === '') return;
    const isTarget = beforeColon && word.endsWith(':');
    words.push({ text: isTarget ? word.slice(0, -1) : word, isTarget: beforeColon });
    if (isTarget) beforeColon = false;
    word = '';
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    const next = text[index + 1];
    if (character === '\\' && (next === ' ' || next === '#')) {
      word += next;
      index += 1;
    } else if (character === '\\' && (next === '\n' || (next === '\r' && text[index + 2] === '\n'))) {
      end();
      index += next === '\r' ? 2 : 1;
    } else if (character === '$' && next === '$') {
      word += '$';
      index += 1;
    } else if (character === '\n') {
      end();
      beforeColon = true;
    } else if (character === ' ' || character === '\t' || character === '\r') {
      end();
    } else {
      word += character;
    }
  }
  end();
  return words;
}
