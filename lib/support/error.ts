import { distance } from 'fastest-levenshtein';
import { errorCodes, type ErrorCode } from './error-codes';
import { unreadable, unwritable } from './unwritable';

export interface ErrorReport {
  code: ErrorCode;
  message: string;
  hint: string;
}

/** Error class of Kernloop: a code, what happened and where, and what to do next. */
export class KernloopError extends Error {
  readonly exitCode: number;
  readonly hint: string;
  /** `what` for a terminal that shows the output of the failed program above it. */
  readonly brief: string;

  constructor(
    readonly code: ErrorCode,
    readonly what: string,
    hint: string,
    options?: { cause?: unknown; brief?: string | undefined },
  ) {
    super(what, options);
    this.name = 'KernloopError';
    this.brief = options?.brief ?? what;
    this.hint = hint || errorCodes[code].next;
    this.exitCode = errorCodes[code].exitCode;
  }

  /** Object that `--json` prints. */
  toJSON(): ErrorReport {
    return { code: this.code, message: this.what, hint: this.hint };
  }
}

/** Converts whatever was thrown. An unexpected error is a bug, unless the system refused to write or open a file. */
export function asKernloopError(error: unknown): KernloopError {
  if (error instanceof KernloopError) return error;
  const refused = unwritable(error);
  if (refused) return new KernloopError('FILE_UNWRITABLE', refused.what, refused.hint, { cause: error });
  const closed = unreadable(error);
  if (closed) return new KernloopError('FILE_UNREADABLE', closed.what, closed.hint, { cause: error });
  return new KernloopError('INTERNAL_ERROR', messageOf(error), 'this is a bug in Kernloop: report it', {
    cause: error,
  });
}

/** An error as people read it: what happened, and in the next line what to do. */
export function errorText(error: Pick<KernloopError, 'code' | 'what' | 'hint'>, indent = '  '): string {
  const { code, what, hint } = error;
  return `error: ${what} [${code}]\n${hint === '' ? '' : `${indent}→ ${hint}\n`}`;
}

/** Whether no stage expected the error and the system does not explain it: a bug, printed with its stack. */
export const isBug = (error: unknown): boolean =>
  !(error instanceof KernloopError) && asKernloopError(error).code === 'INTERNAL_ERROR';

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a Node system error (`ENOENT`, …), if it is one. */
export function systemCode(error: unknown): string | undefined {
  // No instanceof: inside a sandbox such as Jest, errors of Node's own modules have another Error class.
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Limits the compared length: names may be hostile, and edit distance is quadratic. */
const comparedLength = 200;

/** Candidates closest to a name, best first: those it begins, parts, abbreviations, then small edit distances. */
export function nearest(name: string, candidates: Iterable<string>, limit = 3): string[] {
  return ranked(name, candidates)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/**
 * Verbs or options that a typed word is meant to be, the best and those that are as good: those it begins, parts,
 * abbreviations, then typing errors. A word of which half would have to change means something else.
 */
export function closest(word: string, candidates: Iterable<string>, limit = 3): string[] {
  const typed = word.toLowerCase().slice(0, comparedLength);
  const all = [...new Set(candidates)]
    .map((candidate) => {
      const compared = candidate.toLowerCase();
      const errors = typingErrors(typed, compared);
      const isTyping = errors <= mostTypingErrors && errors < typed.length / 2;
      return { candidate, cost: Math.min(isTyping ? errors : Infinity, costOfPart(typed, compared)) };
    })
    .filter(({ cost }) => cost < Infinity)
    .sort((a, b) => a.cost - b.cost || a.candidate.localeCompare(b.candidate));
  return all
    .filter(({ cost }) => cost === all[0]?.cost)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** Candidates with the fewest typing errors, if these are few. */
export function misspelt(word: string, candidates: Iterable<string>): string[] {
  const typed = word.slice(0, comparedLength);
  const all = [...new Set(candidates)].map((candidate) => ({ candidate, errors: typingErrors(typed, candidate) }));
  const fewest = Math.min(mostTypingErrors, ...all.map(({ errors }) => errors));
  if (fewest >= typed.length / 2) return [];
  return all.flatMap(({ candidate, errors }) => (errors === fewest ? candidate : []));
}

const mostTypingErrors = 2;

/** Edit distance in which two neighbouring letters in the wrong order are one error. */
function typingErrors(typed: string, meant: string): number {
  if (Math.abs(typed.length - meant.length) > mostTypingErrors) return Infinity;
  const swapped = [...typed.slice(1)].map(
    (letter, index) => typed.slice(0, index) + letter + (typed[index] ?? '') + typed.slice(index + 2),
  );
  return Math.min(distance(typed, meant), ...swapped.map((other) => 1 + distance(other, meant)));
}

interface Ranked {
  candidate: string;
  cost: number;
  distance: number;
}

function ranked(name: string, candidates: Iterable<string>): Ranked[] {
  const wanted = name.toLowerCase().slice(0, comparedLength);
  return [...new Set(candidates)]
    .map((candidate) => {
      const compared = candidate.toLowerCase().slice(0, comparedLength);
      const edits = distance(wanted, compared);
      return { candidate, cost: Math.min(edits, costOfPart(wanted, compared)), distance: edits };
    })
    .filter(
      ({ candidate, cost }) =>
        cost <= Math.max(2, Math.ceil(Math.min(comparedLength, Math.max(candidate.length, wanted.length)) / 2)),
    )
    .sort((a, b) => a.cost - b.cost || a.distance - b.distance || a.candidate.localeCompare(b.candidate));
}

/** Below any edit distance but 0 if one is a part of the other, and if letters were left out: `mach` is `match`, not `each`. */
function costOfPart(wanted: string, candidate: string): number {
  if (wanted.length === 0) return Infinity;
  if (candidate.startsWith(wanted)) return 0;
  if (candidate.includes(wanted) || (candidate.length > 2 && wanted.includes(candidate))) return 0.5;
  return isAbbreviation(wanted, candidate) ? 0.75 : Infinity;
}

/** Whether letters of the candidate, in order and from the first on, spell the name: `iters` for `iterations`. */
function isAbbreviation(wanted: string, candidate: string): boolean {
  if (wanted.length < 3 || wanted[0] !== candidate[0]) return false;
  let at = 0;
  for (const letter of candidate) if (letter === wanted[at]) at += 1;
  return at === wanted.length;
}
