import { Lexer } from './lexer';
import type { Span } from './module';

export type Operand =
  | { readonly kind: 'plain'; readonly text: string; readonly registers: readonly string[] }
  /** A vector: `{%r1, %r2}` */
  | { readonly kind: 'vector'; readonly text: string; readonly registers: readonly string[] }
  | AddressOperand;

export interface AddressOperand {
  readonly kind: 'address';
  /** Text without the brackets. */
  readonly text: string;
  readonly registers: readonly string[];
  /** Register, variable or number; null if this is no plain address but, for example, the coordinates of a tensor. */
  readonly base: string | null;
  /** Signed number such as `64` or `-8`, or null. */
  readonly offset: string | null;
}

/** Operands of an instruction, split at commas outside of brackets. */
export function readOperands(text: string, { start, end }: Span): Operand[] {
  const lexer = new Lexer(text, start, end);
  const operands: Operand[] = [];
  let words: string[] = [];
  let depth = 0;
  const finish = (): void => {
    if (words.length > 0) operands.push(operandOf(words));
    words = [];
  };
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) {
    if (token.kind === 'mark') {
      if ('([{'.includes(token.text)) ++depth;
      if (')]}'.includes(token.text)) --depth;
    }
    if (depth === 0 && token.text === ',') finish();
    else words.push(token.text);
  }
  finish();
  return operands;
}

function operandOf(words: readonly string[]): Operand {
  const registers = words.filter((word) => /^[%A-Za-z_$]/.test(word));
  const last = words.lastIndexOf(words[0] === '[' ? ']' : '}');
  const inner = words.slice(1, last);
  if (words[0] === '{') return { kind: 'vector', text: joined(inner), registers };
  if (words[0] !== '[') return { kind: 'plain', text: joined(words), registers };
  const [base = '', sign, ...rest] = inner;
  const address = { kind: 'address', text: joined(inner), registers } as const;
  if (inner.length === 1) return { ...address, base, offset: null };
  // PTX contains both `+-8` and `-8`.
  const [first, second] = rest;
  if (sign === '+' && rest.length === 1) return { ...address, base, offset: first ?? null };
  if (sign === '+' && first === '-' && rest.length === 2) return { ...address, base, offset: `-${second ?? ''}` };
  if (sign === '-' && rest.length === 1) return { ...address, base, offset: `-${first ?? ''}` };
  return { ...address, base: null, offset: null };
}

function joined(words: readonly string[]): string {
  return words.join(' ').replaceAll(' ,', ',').replaceAll(' .', '.');
}
