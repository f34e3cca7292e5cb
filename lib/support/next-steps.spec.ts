import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, type ErrorCode } from './error-codes';
import { KernloopError } from './error';

const steps = Object.entries(errorCodes).map(([code, { next }]): [string, string] => [code, next]);
const root = join(__dirname, '..', '..');
const options = readFileSync(join(root, 'docs', 'reference', 'options.md'), 'utf8');
const verbs = new Set([...options.matchAll(/^## ([\w -]+)$/gm)].map(([, verb = '']) => verb));
const flags = new Set([...options.matchAll(/`(--[a-z-]+)/g)].map(([, flag = '']) => flag));
/** Options of other programs or of every command. */
const others = new Set(['--help', '--omit', '--version', '--no-offload-compress', '--mem', '--serve']);
const orders =
  /^(ask|bring|build|capture|check|compile|copy|correct|end|export|gather|give|go|inject|install|keep|launch|leave|let|lower|look|link|make|mend|merge|move|name|pack|pass|put|raise|read|record|remove|replay|report|restart|run|say|set|split|start|take|trace|update|use|wait|widen|write) /;

describe('what to do after an error', () => {
  it.each(steps)('%s: an order, with the command, option or file to begin with', (_, step) => {
    expect(step).toMatch(orders);
    expect(step).toMatch(/`[^`]+`/);
    expect(step.length).toBeLessThan(130);
    expect(step).not.toMatch(/[.\n]$/);
  });

  it('names verbs and options that there are', () => {
    const named = (pattern: RegExp): string[] =>
      steps.flatMap(([, step]) => [...step.matchAll(pattern)].map(([, name = '']) => name));
    const usedVerbs = named(/`kernloop ([a-z][\w-]*(?: (?:gc|verify|run|read|gen|export|analyze|show)\b)?)/g);
    const known = (verb: string): boolean => verbs.has(verb) || verbs.has(verb.split(' ')[0] ?? '');
    expect(usedVerbs.length).toBeGreaterThan(50);
    expect(usedVerbs.filter((verb) => !known(verb))).toEqual([]);
    const usedFlags = named(/(?<![\w-])(--[a-z-]+)/g);
    expect(usedFlags.length).toBeGreaterThan(40);
    expect(usedFlags.filter((flag) => !flags.has(flag) && !others.has(flag))).toEqual([]);
  });

  it('stands in an error whose thrower knows nothing better, as those of native programs without a hint', () => {
    const code: ErrorCode = 'BYTE_BUDGET';
    expect(new KernloopError(code, 'too large', '').hint).toBe(errorCodes[code].next);
    expect(new KernloopError(code, 'too large', 'add --max-bytes 9').toJSON().hint).toBe('add --max-bytes 9');
  });
});
