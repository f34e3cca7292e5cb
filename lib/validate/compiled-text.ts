import { newLines } from './new-lines';
import { codeOf } from './conditionals';

/** Whether a line of the edited text has device code; null: nothing is known of any line. */
export type HasCode = ((line: number) => boolean) | null;

const directive = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)$/;

/**
 * The edited text without what a directive of the edit switches off (`#if 0`), so that it is taken for removed. A branch
 * is switched off if none of its lines has code; if nothing is known of code, by `#if 0` alone.
 */
export function compiledText(before: string, after: string, hasCode: HasCode): string {
  const added = new Set(newLines(before, after) ?? []);
  const lines = after.split('\n');
  const code = codeOf(after).split('\n');
  const open: { line: number; isOff: boolean; isAdded: boolean }[] = [];
  const off: [number, number][] = [];
  const end = (last: number): void => {
    const branch = open.pop();
    if (branch === undefined || !branch.isAdded) return;
    const inside = code.slice(branch.line, last - 1);
    const isOff = hasCode === null ? branch.isOff : inside.every((_, index) => !hasCode(branch.line + index + 1));
    if (isOff && inside.some((text) => text.trim() !== '')) off.push([branch.line, last - 1]);
  };
  for (const [index, text] of lines.entries()) {
    const [, word, rest = ''] = directive.exec(text) ?? [];
    const line = index + 1;
    if (word === undefined) continue;
    const isAdded = word.startsWith('if') ? added.has(line) : open.at(-1)?.isAdded === true || added.has(line);
    if (!word.startsWith('if')) end(line);
    if (word !== 'endif')
      open.push({ line, isAdded, isOff: word === 'if' && /^\s*(?:0|false)\s*(?:\/[/*].*)?$/.test(rest) });
  }
  for (const [first, last] of off) lines.fill('', first, last);
  return lines.join('\n');
}
