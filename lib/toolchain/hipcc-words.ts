/**
 * Absolute paths in a word of a command, as they are or behind `=`, -I or -L. hipcc hands them on without reading them: it looks at how a word begins, at its
 * last extension, and for these options anywhere in it (hipcc.pl of ROCm 4 to 6).
 */
const paths = /(?<=^|=|^-[IL])(?:\/[\w.+ -]*)+/g;
const options = /--|-Wl|-fopenmp-targets/;

/** A word as hipcc sees it: each path is its extension. */
export function shapeOf(word: string): string {
  // It trims the ends.
  if (word !== word.trim() || word.includes('{')) return word;
  return word.replaceAll(paths, (path) => (options.test(path) ? path : `{}${extension.exec(path)?.[0] ?? ''}`));
}

const extension = /\.\w+$/;

/**
 * An answer to any arguments of the same shapes: `{2}` is the third of them. Null where it is none, because words were left out, doubled or put
 * together, or where two of the arguments are the same path: which of them is which does not show, and others have two paths there.
 */
export function templateOf(answer: readonly string[], args: readonly string[]): string[] | null {
  const moving = args.filter((word) => shapeOf(word) !== word);
  const count = (words: readonly string[], word: string): number => words.filter((each) => each === word).length;
  if (moving.some((word) => count(answer, word) !== 1 || count(args, word) !== 1)) return null;
  if (answer.some((word) => placeholder.test(word))) return null;
  return answer.map((word) => (moving.includes(word) ? `{${args.indexOf(word)}}` : word));
}

const placeholder = /^\{(\d+)\}$/;

export function fillTemplate(template: readonly string[], args: readonly string[]): string[] {
  return template.map((word) => {
    const [, index] = placeholder.exec(word) ?? [];
    return index === undefined ? word : (args[Number(index)] ?? word);
  });
}
