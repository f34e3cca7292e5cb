import { KernloopError } from '../support/error';

/**
 * `word`: an identifier, register or first part of an opcode. `dot`: a later part of an opcode, or a directive
 * (`.global`, `.shared::cta`, `.2d`). `mark`: one character, or `::`.
 */
type TokenKind = 'word' | 'dot' | 'number' | 'string' | 'mark' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** PyTorch's largest module is 30 MiB. */
const maxPtxBytes = 256 << 20;

const word = /[%A-Za-z_$][\w$]*/y;
const dot = /\.[\w$]+(?:::[\w$]+)*/y;
const number = /\d[\w.]*/y;
const string = /"(?:[^"\\\n]|\\.)*"/y;

/** Possible kind of a token with this first character; null means a mark. */
function kindsOf(first: string): [TokenKind, RegExp] | null {
  if (first === '.') return ['dot', dot];
  if (first === '"') return ['string', string];
  if (first >= '0' && first <= '9') return ['number', number];
  const isLetter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  return isLetter || first === '%' || first === '_' || first === '$' ? ['word', word] : null;
}

/** Reads PTX token by token and skips comments and white space. */
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

  /** Consumes the next token if it is this mark, word or directive; returns whether it was. */
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
    const start = this.skipSpaces();
    if (start >= this.end) return { kind: 'end', text: '', start, end: start };
    const found = kindsOf(this.text.charAt(start));
    if (found) {
      const [kind, pattern] = found;
      pattern.lastIndex = start;
      if (pattern.test(this.text)) return this.made(kind, start, pattern.lastIndex);
    }
    return this.made('mark', start, start + (this.text.startsWith('::', start) ? 2 : 1));
  }

  private made(kind: TokenKind, start: number, end: number): Token {
    this.at = end;
    return { kind, text: this.text.slice(start, end), start, end };
  }

  /** Skips comments and preprocessor lines, too. */
  private skipSpaces(): number {
    const { text, end } = this;
    let at = this.at;
    const skipTo = (what: string): void => {
      const found = text.indexOf(what, at);
      at = found < 0 ? end : found;
    };
    for (; at < end;) {
      const first = text.charAt(at);
      if (first <= ' ') {
        ++at;
      } else if (first === '/' && text.charAt(at + 1) === '/') {
        skipTo('\n');
      } else if (first === '/' && text.charAt(at + 1) === '*') {
        const found = text.indexOf('*/', at + 2);
        if (found < 0) throw this.invalid('a comment is never closed', at);
        at = found + 2;
      } else if (first === '#' && /(^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 80), at))) {
        skipTo('\n');
      } else {
        break;
      }
    }
    return Math.min(at, end);
  }
}

/** Identifiers and registers outside comments and strings. */
export function* wordsOf(text: string): Generator<string> {
  for (const [, word] of text.matchAll(/\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|([%A-Za-z_$][\w$]*)/g)) {
    if (word !== undefined) yield word;
  }
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let found = text.indexOf('\n'); found >= 0 && found < at; found = text.indexOf('\n', found + 1)) ++line;
  return line;
}

function ptxInvalid(what: string): KernloopError {
  return new KernloopError(
    'PTX_INVALID',
    `the PTX cannot be read: ${what}`,
    'run `ptxas` on that file: its message says more; if ptxas accepts it, report it',
  );
}

export function probeUnsupported(what: string, hint: string): KernloopError {
  return new KernloopError('PROBE_UNSUPPORTED', what, hint);
}

function shown({ kind, text }: Token): string {
  return kind === 'end' ? 'the end' : text.slice(0, 40);
}
