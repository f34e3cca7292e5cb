/**
 * Commands of a documentation page. The words after the backticks of a fence decide how it is tested:
 *
 * - `sh`: e2e/docs.e2e.ts runs its commands; `sh nightly`: only under KERNLOOP_DOCS=nightly, because they take long.
 * - `sh exact`: run, and every figure shown is compared; otherwise figures may differ.
 * - `sh needs=gpu`: not run, because the named requirement is missing: one of `needs`.
 * - `diff FILE`: an edit of that file, applied in place; `json FILE`: its content, on a page that a script types.
 * - anything else (`json`, `python`, `text`, nothing): no commands.
 *
 * With prompts (`$ `), the lines below a command are its output, `…` any lines of it; without, every line is a command.
 * A comment directly above the fence, `<!-- first: COMMANDS -->`, runs first in the same shell: edits that the text
 * describes in words.
 */
export interface Fence {
  line: number;
  language: string;
  attribute: string;
  first: string;
  content: string;
}

export interface Command {
  text: string;
  /** Output that the page shows; empty if it shows none. */
  output: string[];
}

/** Requirements of commands that no test runs. */
const needs = {
  gpu: 'a GPU',
  cluster: 'a Slurm cluster',
  server: 'a server',
  checkout: 'a clone of its own, and minutes to build it',
  package: 'a registry that has the package (e2e/stranger.e2e.ts has one)',
  jq: 'jq',
  apt: 'a machine on which it may install packages',
  'own-program': 'a program of the reader',
  'other-machine': 'a second machine',
  'debian-unstable': 'Debian unstable (bench/rocm/llama.mjs makes a root of it and types them there)',
  terminal: 'a person at a terminal',
  fixture: 'a program that only a test has: its own test runs it',
} as const;

export function fencesOf(page: string): Fence[] {
  const fence = /(?:<!-- first: ([^]*?) -->\n+)?^```([\w-]*) ?(.*)\n([^]*?)^```$/gm;
  return [...page.matchAll(fence)].map(
    ({ 0: whole, 1: first = '', 2: language = '', 3: attribute = '', 4: content = '', index }) => ({
      line: page.slice(0, index + whole.indexOf('```')).split('\n').length,
      language,
      attribute: attribute.trim(),
      first,
      content,
    }),
  );
}

/** A line that ends in a backslash continues on the next one. */
export function commandsOf(content: string): Command[] {
  const lines = content
    .replaceAll(/ *\\\n\s*/g, ' ')
    .split('\n')
    .slice(0, -1);
  if (!lines.some((line) => line.startsWith('$ '))) {
    return lines.filter((line) => line.trim() !== '').map((text) => ({ text, output: [] }));
  }
  const commands: Command[] = [];
  for (const line of lines) {
    if (line.startsWith('$ ')) commands.push({ text: line.slice(2), output: [] });
    else commands.at(-1)?.output.push(line);
  }
  return commands;
}

const commandLine = /^(\$ |\w+\$ |(sudo|npx|npm|nx|kernloop|kernloop-\w+|git|python3|pip|export|cd|tar|age-keygen) )/m;

/** Reason why the tests cannot handle a fence; undefined if they can. */
export function faultOf({ language, attribute, content }: Fence): string | undefined {
  if (language === 'sh') {
    const [, need] = /^needs=(\S+)$/.exec(attribute) ?? [];
    if (
      attribute === '' ||
      attribute === 'nightly' ||
      attribute === 'exact' ||
      (need !== undefined && Object.hasOwn(needs, need))
    )
      return undefined;
    return `"${attribute}" is none of "exact", "nightly", or "needs=" one of ${Object.keys(needs).join(', ')}`;
  }
  if (language === '' && commandLine.test(content)) return 'has commands, and is not marked as `sh`';
  return undefined;
}

/** A line without figures, digests and paths, which differ by machine and day. */
export function shapeOf(line: string): string {
  return line
    .replaceAll(/\b0x[\da-f]+|\b[\da-f]{8,}\b/g, '0')
    .replaceAll(/[\d.,]*\d/g, '0')
    .replaceAll(/0 ([KMG]i)?B\b/g, '0 B')
    .replaceAll(/…\//g, '/')
    .replaceAll(/\/\S*\/(?=kernels\/|examples\/)/g, '/')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Keeps every figure, and ignores the width of columns. */
export const exactly = (line: string): string => line.replaceAll(/\s+/g, ' ').trim();

/** The first line of a page that the output lacks in order; undefined if it has them all. */
export function missingLine(shown: readonly string[], printed: string, form = shapeOf): string | undefined {
  const lines = printed.split('\n').map((line) => form(line));
  // Possible positions of the next line: without figures, lines of a table are the same.
  let places = [...lines.keys()];
  for (const line of shown) {
    if (/^\s*(…|\.\.\.)$/.test(line)) {
      const [first = lines.length] = places;
      places = [...lines.keys()].filter((place) => place >= first);
      continue;
    }
    places = places.filter((place) => matches(form(line), lines[place] ?? '')).map((place) => place + 1);
    if (places.length === 0) return line;
  }
  return undefined;
}

/** `…` inside a line matches any part of it. */
function matches(shown: string, printed: string): boolean {
  const parts = shown.split('…');
  if (parts.length === 1) return shown === printed;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = printed.indexOf(part.trim(), at);
    if (found < 0 || (index === 0 && found > 0)) return false;
    at = found + part.trim().length;
  }
  return true;
}

/** Exit code that the shown output implies; codes of errors are looked up. */
export function promisedCode(output: readonly string[], exitCodeOf: (error: string) => number): number {
  const text = output.join('\n');
  const [, error] = /\[([A-Z]+(?:_[A-Z]+)+)\]$/m.exec(text) ?? [];
  if (error !== undefined) return exitCodeOf(error);
  if (/^Result: FAIL \(the device faulted/m.test(text)) return 4;
  if (/^Result: FAIL/m.test(text)) return 1;
  return /^Result: VACUOUS/m.test(text) ? 3 : 0;
}
