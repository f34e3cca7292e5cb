import { KernloopError } from '../../support/error';

/**
 * `word`: an identifier, register or first part of an opcode. `dot`: a part behind it, or a directive (`.global`, `.shared::cta`, `.2d`).
 * `mark`: one character, or `::`.
 */
export type TokenKind = 'word' | 'dot' | 'number' | 'string' | 'mark' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The largest of PyTorch's is 30 MiB. */
export const maxPtxBytes = 256 << 20;

const spaces = /(?:[\s\0]+|\/\/[^\n]*|\/\*[^]*?\*\/|^[ \t]*#[^\n]*)+/my;
const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['word', /[%A-Za-z_$][\w$]*/y],
  ['dot', /\.[A-Za-z_$0-9][\w$]*(?:::[\w$]+)*/y],
  ['number', /\d[\w.]*/y],
  ['string', /"(?:[^"\\\n]|\\.)*"/y],
  ['mark', /::|[^]/y],
];

/** Reads PTX token by token; comments and white space are none. */
export class Lexer {
  private at: number;
  private ahead: Token | null = null;

  constructor(
    readonly text: string,
    start = 0,
    private readonly end = text.length,
  ) {
    if (text.length > maxPtxBytes) throw ptxInvalid(`it is longer than ${maxPtxBytes} bytes`);
    this.at = start;
  }

  peek(): Token {
    this.ahead ??= this.read();
    return this.ahead;
  }

  next(): Token {
    const token = this.peek();
    this.ahead = null;
    return token;
  }

  /** Whether the next token is this mark, word or directive; it is taken then. */
  take(text: string): boolean {
    if (this.peek().text !== text || this.peek().kind === 'string') return false;
    this.next();
    return true;
  }

  expect(text: string): Token {
    const token = this.next();
    if (token.text !== text) throw this.invalid(`expected \`${text}\`, and found \`${shown(token)}\``, token.start);
    return token;
  }

  word(what: string): Token {
    const token = this.next();
    if (token.kind !== 'word') throw this.invalid(`expected ${what}, and found \`${shown(token)}\``, token.start);
    return token;
  }

  invalid(what: string, at: number): KernloopError {
    return ptxInvalid(`line ${lineOf(this.text, at)}: ${what}`);
  }

  private read(): Token {
    spaces.lastIndex = this.at;
    if (spaces.test(this.text)) this.at = Math.min(spaces.lastIndex, this.end);
    const start = this.at;
    if (this.text.startsWith('/*', start)) throw this.invalid('a comment is never closed', start);
    if (start >= this.end) return { kind: 'end', text: '', start, end: start };
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = start;
      const [text] = pattern.exec(this.text) ?? [];
      if (text === undefined) continue;
      this.at = start + text.length;
      return { kind, text, start, end: this.at };
    }
    throw this.invalid('no PTX', start);
  }
}

/** Identifiers and registers, not those in comments and strings. */
export function* wordsOf(text: string): Generator<string> {
  for (const [, word] of text.matchAll(/\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|([%A-Za-z_$][\w$]*)/g)) {
    if (word !== undefined) yield word;
  }
}

export function lineOf(text: string, at: number): number {
  let line = 1;
  for (let found = text.indexOf('\n'); found >= 0 && found < at; found = text.indexOf('\n', found + 1)) ++line;
  return line;
}

export function ptxInvalid(what: string): KernloopError {
  return new KernloopError(
    'PTX_INVALID',
    `the PTX cannot be read: ${what}`,
    'ptxas tells more; report it where ptxas takes it',
  );
}

export function probeUnsupported(what: string, hint: string): KernloopError {
  return new KernloopError('PROBE_UNSUPPORTED', what, hint);
}

function shown({ kind, text }: Token): string {
  return kind === 'end' ? 'the end' : text.slice(0, 40);
}
