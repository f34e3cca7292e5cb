import { messageOf } from '../support/error';

/** Bounds of expressions that the recorder matches names with (native/recorder/name_pattern.h). */
export const mostBytes = 16_384;
export const mostNesting = 100;

export const shorterExpression = 'give a shorter expression: a part of the name that tells the kernel apart is enough';

/** Problem of an expression for kernel names; null if there is none. */
export function problemOfExpression(source: string): string | null {
  const beyond = beyondBounds(source);
  if (beyond !== null) return `the expression ${beyond}`;
  try {
    new RegExp(source);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Size that the recorder refuses, as a clause about the expression. */
export function beyondBounds(source: string): string | null {
  const bytes = Buffer.byteLength(source);
  if (bytes > mostBytes) return `has ${bytes} bytes, and the recorder matches names with at most ${mostBytes}`;
  const nesting = nestingOf(source);
  return nesting > mostNesting
    ? `has ${nesting} groups inside each other, and the recorder matches names with at most ${mostNesting}`
    : null;
}

/** Most groups that are open at once. Parentheses that are escaped, or in a class, are no groups. */
function nestingOf(source: string): number {
  let open = 0;
  let most = 0;
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]])*\]?|[()]/gs)) {
    if (token === '(') most = Math.max(most, ++open);
    if (token === ')' && open > 0) open -= 1;
  }
  return most;
}
