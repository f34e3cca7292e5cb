/**
 * Absolute paths in a word of a command, alone or after `=`, -I or -L. hipcc passes them on unread: it looks only at
 * the start of a word, its last extension, and these options anywhere in it (hipcc.pl of ROCm 4 to 6).
 */
const paths = /(?<=^|=|^-[IL])(?:\/[\w.+ -]*)+/g;
const options = /--|-Wl|-fopenmp-targets/;

/** A word as hipcc sees it: each path is reduced to its extension. */
export function shapeOf(word: string): string {
  // hipcc trims the ends of a word.
  if (word !== word.trim() || word.includes('{')) return word;
  return word.replaceAll(paths, (path) => (options.test(path) ? path : `{}${extension.exec(path)?.[0] ?? ''}`));
}

const extension = /\.\w+$/;

/**
 * Turns an answer into a template for arguments of the same shapes: `{2}` is the third argument. Null if words were
 * dropped, doubled or joined, or if two arguments are the same path: the answer then does not show which is which.
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
