import { newLines } from './new-lines';
import { codeOf } from './conditionals';

const directive = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b/;

/**
 * The edited text without what a directive of the edit switches off (`#if 0`), so that it is taken for removed: branches
 * of which no line has code.
 */
export function compiledText(before: string, after: string, hasCode: (line: number) => boolean): string {
  const added = new Set(newLines(before, after) ?? []);
  const lines = after.split('\n');
  const code = codeOf(after).split('\n');
  const open: { line: number; isAdded: boolean }[] = [];
  const off: [number, number][] = [];
  const end = (last: number): void => {
    const branch = open.pop();
    if (branch === undefined || !branch.isAdded) return;
    const inside = code.slice(branch.line, last - 1);
    const isOff = inside.every((_, index) => !hasCode(branch.line + index + 1));
    if (isOff && inside.some((text) => text.trim() !== '')) off.push([branch.line, last - 1]);
  };
  for (const [index, text] of lines.entries()) {
    const [, word] = directive.exec(text) ?? [];
    const line = index + 1;
    if (word === undefined) continue;
    const isAdded = word.startsWith('if') ? added.has(line) : open.at(-1)?.isAdded === true || added.has(line);
    if (!word.startsWith('if')) end(line);
    if (word !== 'endif') open.push({ line, isAdded });
  }
  for (const [first, last] of off) lines.fill('', first, last);
  return lines.join('\n');
}
