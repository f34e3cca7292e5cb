import { Lexer, type Token } from './lexer';

/** Text from `start` up to `end`, exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Guard {
  readonly register: string;
  readonly negated: boolean;
}

export interface Instruction extends Span {
  /** Offset at which the opcode begins, after the guard. */
  readonly head: number;
  readonly guard: Guard | null;
  /** Parts of the opcode: `ld`, `global`, `nc`, `v4`, `f32` */
  readonly opcode: readonly string[];
  /** Text between the opcode and the semicolon. */
  readonly operands: Span;
  readonly scope: Scope;
}

export interface Declaration {
  /** Register type: `b32`, `pred` */
  readonly type: string;
  readonly name: string;
  /** Number of registers in `%r<count>`: `%r0` to `%r<count - 1>`. */
  readonly count: number | null;
}

/** A block of the body and the registers that it declares. */
export interface Scope {
  readonly parent: Scope | null;
  readonly registers: Declaration[];
}

interface FunctionBody {
  /** Offset after the opening brace. */
  readonly start: number;
  /** Offset of the closing brace. */
  readonly end: number;
  readonly scope: Scope;
  readonly instructions: readonly Instruction[];
  readonly labels: readonly string[];
  /** Whether control may reach the closing brace. */
  readonly fallsThrough: boolean;
}

/** An `.entry` or a `.func`, defined or only declared. */
export interface PtxFunction extends Span {
  readonly name: string;
  readonly isEntry: boolean;
  /** Offset after the name, where a parameter list would begin. */
  readonly nameEnd: number;
  /** Offset of its closing parenthesis, and whether the list is empty; null without a list. */
  readonly parameters: { readonly close: number; readonly isEmpty: boolean } | null;
  readonly body: FunctionBody | null;
}

export interface PtxModule {
  readonly text: string;
  /** PTX version: 8.7 is 807. */
  readonly version: number;
  readonly target: string;
  readonly addressSize: number;
  readonly functions: readonly PtxFunction[];
  /** Sections of debug information. */
  readonly sections: readonly Span[];
}

/** Deeper nesting occurs in no real module. */
const maxNesting = 256;

const linkage: ReadonlySet<string> = new Set(['.visible', '.extern', '.weak', '.common']);

/**
 * Reads the structure of a PTX module: functions, their scopes and instructions. ptxas checks what the instructions
 * mean.
 */
export function readModule(text: string): PtxModule {
  const lexer = new Lexer(text);
  const functions: PtxFunction[] = [];
  const sections: Span[] = [];
  const header = { version: 0, target: '', addressSize: 32 };
  for (let first = lexer.peek(); first.kind !== 'end'; first = lexer.peek()) {
    const { start } = first;
    while (linkage.has(lexer.peek().text)) lexer.next();
    const token = lexer.next();
    if (token.text === '.entry' || token.text === '.func') {
      functions.push(readFunction(lexer, start, token.text === '.entry'));
    } else if (token.text === '.version') {
      const [major = '', minor = '0'] = lexer.next().text.split('.');
      header.version = Number(major) * 100 + Number(minor);
    } else if (token.text === '.target') {
      header.target = lexer.word('an architecture').text;
      while (lexer.take(',')) lexer.word('an option of the target');
    } else if (token.text === '.address_size') {
      header.addressSize = Number(lexer.next().text);
    } else if (token.kind === 'dot') {
      const { end } = readDirective(lexer, token);
      if (token.text === '.section') sections.push({ start, end });
    } else if (token.text !== ';') {
      throw lexer.invalid(`\`${token.text.slice(0, 40)}\` begins nothing that a module has`, token.start);
    }
  }
  if (header.version === 0) throw lexer.invalid('.version is missing', 0);
  return { text, ...header, functions, sections };
}

function readFunction(lexer: Lexer, start: number, isEntry: boolean): PtxFunction {
  if (lexer.take('.attribute')) skipGroup(lexer, lexer.expect('('));
  const open = lexer.peek();
  if (!isEntry && lexer.take('(')) skipGroup(lexer, open);
  const name = lexer.word('the name of a function');
  const parameters = readParameters(lexer);
  for (;;) {
    const token = lexer.next();
    const head = { start, end: token.end, name: name.text, isEntry, nameEnd: name.end, parameters };
    if (token.text === ';') return { ...head, body: null };
    if (token.text === '{') {
      const body = readBody(lexer, token.end);
      return { ...head, end: body.end + 1, body };
    }
    // Performance directives: .maxntid 256, 1, 1
    if (token.kind !== 'dot' && token.kind !== 'number' && token.kind !== 'word' && token.text !== ',')
      throw lexer.invalid(`the body of ${name.text} is missing`, token.start);
  }
}

function readParameters(lexer: Lexer): PtxFunction['parameters'] {
  const open = lexer.peek();
  if (!lexer.take('(')) return null;
  const isEmpty = lexer.peek().text === ')';
  return { close: skipGroup(lexer, open).start, isEmpty };
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Skips from an opening mark to its closing mark, which is returned. */
function skipGroup(lexer: Lexer, open: Token): Token {
  const expected = [closing[open.text] ?? ''];
  for (;;) {
    const token = lexer.next();
    if (token.kind === 'end') throw lexer.invalid(`\`${open.text}\` is never closed`, open.start);
    if (token.kind !== 'mark') continue;
    if (token.text === expected.at(-1)) {
      expected.pop();
      if (expected.length === 0) return token;
    } else if (token.text in closing) {
      if (expected.push(closing[token.text] ?? '') > maxNesting) throw lexer.invalid('nested too deep', token.start);
    } else if (token.text === ')' || token.text === ']' || token.text === '}') {
      throw lexer.invalid(`\`${token.text}\` closes nothing`, token.start);
    }
  }
}

/** Skips to the semicolon that ends the statement, outside of all brackets; returns it. */
function skipStatement(lexer: Lexer, first: Token): Token {
  for (;;) {
    const token = lexer.next();
    if (token.text === ';' && token.kind === 'mark') return token;
    if (token.kind === 'end') throw lexer.invalid(`\`${first.text.slice(0, 40)}\` has no semicolon`, first.start);
    if (token.kind !== 'mark') continue;
    if (token.text in closing) skipGroup(lexer, token);
    else if (token.text === ')' || token.text === ']' || token.text === '}')
      throw lexer.invalid(`\`${first.text.slice(0, 40)}\` has no semicolon before \`${token.text}\``, first.start);
  }
}

/**
 * Directives without a closing semicolon are read by their grammar, because another statement may follow on the line.
 */
function readDirective(lexer: Lexer, directive: Token): Token {
  let last = directive;
  const numbers = (count: number): void => {
    for (let index = 0; index < count; ++index) last = lexer.next();
  };
  if (directive.text === '.file') {
    numbers(2);
    while (lexer.take(',')) last = lexer.next();
  } else if (directive.text === '.loc') {
    numbers(3);
    while (lexer.take(',')) {
      const isInlined = lexer.next().text === 'inlined_at';
      numbers(isInlined ? 3 : 1);
      if (!isInlined && lexer.take('+')) last = lexer.next();
    }
  } else if (directive.text === '.section') {
    lexer.next();
    return skipGroup(lexer, lexer.expect('{'));
  } else {
    return skipStatement(lexer, directive);
  }
  return last;
}

function readBody(lexer: Lexer, start: number): FunctionBody {
  const outermost: Scope = { parent: null, registers: [] };
  const instructions: Instruction[] = [];
  const labels: string[] = [];
  let scope = outermost;
  let depth = 0;
  let fallsThrough = true;
  for (;;) {
    const token = lexer.next();
    if (token.kind === 'end') throw lexer.invalid('a body is never closed', start);
    if (token.text === '{') {
      if (++depth > maxNesting) throw lexer.invalid('nested too deep', token.start);
      scope = { parent: scope, registers: [] };
    } else if (token.text === '}') {
      if (scope.parent === null)
        return { start, end: token.start, scope: outermost, instructions, labels, fallsThrough };
      --depth;
      scope = scope.parent;
    } else if (token.kind === 'dot') {
      if (token.text === '.reg') scope.registers.push(...readRegisters(lexer));
      else readDirective(lexer, token);
    } else if (token.text === '@' || token.kind === 'word') {
      if (token.kind === 'word' && lexer.take(':')) {
        // A label; a prototype or a table of targets follows it as a directive.
        labels.push(token.text);
        fallsThrough = true;
        continue;
      }
      const instruction = readInstruction(lexer, token, scope);
      instructions.push(instruction);
      fallsThrough = instruction.guard !== null || !leaves(instruction.opcode);
    } else if (token.text !== ';') {
      throw lexer.invalid(`\`${token.text.slice(0, 40)}\` begins no statement`, token.start);
    }
  }
}

const ends: ReadonlySet<string> = new Set(['ret', 'exit', 'bra', 'brx', 'trap']);

/** Whether execution never continues after the instruction. */
export function leaves(opcode: readonly string[]): boolean {
  return ends.has(opcode[0] ?? '');
}

export function readInstruction(lexer: Lexer, first: Token, scope: Scope): Instruction {
  let guard: Guard | null = null;
  let head = first;
  if (first.text === '@') {
    const negated = lexer.take('!');
    guard = { register: lexer.word('a predicate').text, negated };
    head = lexer.word('an opcode');
  }
  const opcode = [head.text];
  let end = head.end;
  while (lexer.peek().kind === 'dot') {
    const part = lexer.next();
    opcode.push(part.text.slice(1));
    end = part.end;
  }
  const semicolon = skipStatement(lexer, head);
  return {
    start: first.start,
    head: head.start,
    end: semicolon.end,
    guard,
    opcode,
    operands: { start: end, end: semicolon.start },
    scope,
  };
}

/** Reads the rest of a `.reg` directive: `.v2 .b32 %a, %r<5>;` */
export function readRegisters(lexer: Lexer): Declaration[] {
  const found: Declaration[] = [];
  let type = '';
  while (lexer.peek().kind === 'dot') {
    const part = lexer.next().text.slice(1);
    // A vector keeps the whole type, which marks it as a register that cannot be saved: its element type alone is of no
    // use.
    type = type === '' || !/^v\d$/.test(type) ? part : `${type} ${part}`;
  }
  for (;;) {
    const name = lexer.word('the name of a register').text;
    let count: number | null = null;
    if (lexer.take('<')) {
      const number = lexer.next();
      count = Number(number.text);
      if (!Number.isSafeInteger(count)) throw lexer.invalid('a number of registers that is none', number.start);
      lexer.expect('>');
    }
    found.push({ type, name, count });
    if (lexer.take(';')) return found;
    lexer.expect(',');
  }
}

/** Declared type of a register; null if it is not declared. */
export function registerType(name: string, innermost: Scope): string | null {
  for (let scope: Scope | null = innermost; scope; scope = scope.parent) {
    const found = scope.registers.find((one) => {
      if (one.count === null) return one.name === name;
      if (!name.startsWith(one.name)) return false;
      const index = name.slice(one.name.length);
      return /^(0|[1-9]\d*)$/.test(index) && Number(index) < one.count;
    });
    if (found) return found.type;
  }
  return null;
}
