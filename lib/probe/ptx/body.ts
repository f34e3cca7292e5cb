import type { ProbeFile, TraceMap } from '../../trace/probe-file';
import { Lexer, probeUnsupported, type Token } from '../../ptx/lexer';
import { readInstruction, readRegisters, type Declaration, type Guard, type Scope } from '../../ptx/module';

/** A statement of a probe's body. */
type BodyStatement =
  /** Text without its guard; ends with a semicolon. */
  | { readonly kind: 'instruction'; readonly text: string; readonly guard: Guard | null }
  /** Declarations, braces and labels, which take no guard. */
  | { readonly kind: 'verbatim'; readonly text: string }
  | { readonly kind: 'save'; readonly map: TraceMap; readonly items: readonly string[] };

export interface ProbeBody {
  readonly statements: readonly BodyStatement[];
  /** Registers declared in any block of the body. */
  readonly registers: readonly Declaration[];
  /** Placeholders used: `OUT`, `IN1`, `ADDR`, `BYTES` */
  readonly placeholders: ReadonlySet<string>;
}

/** Opcodes that leave the kernel or wait for threads that may not arrive. */
const refused: ReadonlySet<string> = new Set(['ret', 'exit', 'trap', 'brkpt', 'call', 'bar', 'barrier', 'wgmma']);

const placeholder = /(?<![\w%$.])(OUT|IN\d|ADDR|BYTES)(?![\w$])/g;

/** Parses a probe body: PTX and `SAVE [map] {a, b}`, whose semicolon is optional. */
export function readBodyText(text: string, probe: string, { maps }: ProbeFile): ProbeBody {
  const lexer = new Lexer(text);
  const statements: BodyStatement[] = [];
  const registers: Declaration[] = [];
  const scope: Scope = { parent: null, registers: [] };
  const verbatim = (start: number, end: number): void => {
    statements.push({ kind: 'verbatim', text: text.slice(start, end) });
  };
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) {
    if (token.text === '{' || token.text === '}') {
      verbatim(token.start, token.end);
    } else if (token.text === 'SAVE') {
      statements.push(readSave(lexer, token, probe, maps));
    } else if (token.text === '.reg') {
      const found = readRegisters(lexer);
      const wrong = found.find(({ name }) => /^%NR\d*$/.test(name));
      if (wrong)
        throw unusable(probe, `it declares ${wrong.name}, which is there already`, 'leave the declaration out');
      registers.push(...found);
      statements.push({ kind: 'verbatim', text: declaration(found) });
    } else if (token.kind === 'dot') {
      throw unusable(probe, `it has the directive ${token.text}`, 'a body has instructions, registers and SAVE');
    } else if (token.kind === 'word' && lexer.take(':')) {
      statements.push({ kind: 'verbatim', text: `${token.text}:` });
    } else if (token.text === '@' || token.kind === 'word') {
      const { head, end, guard, opcode } = readInstruction(lexer, token, scope);
      const [name = ''] = opcode;
      if (refused.has(name) || opcode.includes('sync'))
        throw unusable(
          probe,
          `it executes ${opcode.join('.')}, which leaves the kernel or waits for threads that may not come`,
          'a body computes and saves',
        );
      statements.push({ kind: 'instruction', text: text.slice(head, end), guard });
    } else if (token.text !== ';') {
      throw lexer.invalid(
        `\`${token.text.slice(0, 40)}\` begins no statement of the body of probe ${probe}`,
        token.start,
      );
    }
  }
  return { statements, registers, placeholders: new Set([...text.matchAll(placeholder)].map(([, name = '']) => name)) };
}

/** Replaces each placeholder by its value. */
export function fill(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(placeholder, (name) => values.get(name) ?? name);
}

/** Number of %NR scratch registers that every probe gets; Neutrino gives one more than the file declares. */
export function scratchRegisters(bodies: readonly string[], declared: number | null): number {
  const used = bodies.flatMap((body) => [...body.matchAll(/%NR(\d+)/g)].map(([, index]) => Number(index) + 1));
  return Math.max((declared ?? 0) + 1, ...used);
}

function readSave(lexer: Lexer, save: Token, probe: string, maps: readonly TraceMap[]): BodyStatement {
  const { kind, text } = lexer.peek();
  if (kind === 'dot')
    throw unusable(
      probe,
      `SAVE${text} is of the schema of Neutrino's artifact`,
      'write [map.…] tables and SAVE [map] {…}',
    );
  lexer.expect('[');
  const name = lexer.word('the name of a map').text;
  lexer.expect(']');
  lexer.expect('{');
  const items: string[] = [];
  let words: string[] = [];
  for (;;) {
    const token = lexer.next();
    if (token.kind === 'end') throw lexer.invalid(`SAVE of probe ${probe} is never closed`, save.start);
    if (token.text === ',' || token.text === '}') {
      if (words.length === 0) throw unusable(probe, `SAVE [${name}] has an empty item`, 'name a register or a number');
      items.push(words.join(''));
      words = [];
      if (token.text === '}') break;
    } else {
      words.push(token.text);
    }
  }
  lexer.take(';');
  const map = maps.find((one) => one.name === name);
  if (!map) throw unusable(probe, `there is no [map.${name}]`, `it has ${maps.map((one) => one.name).join(', ')}`);
  if (map.fields.length !== items.length)
    throw unusable(
      probe,
      `SAVE [${name}] has ${items.length} items, and the map ${map.fields.length} fields`,
      'one each',
    );
  return { kind: 'save', map, items };
}

function declaration(found: readonly Declaration[]): string {
  const dotted = (type: string): string => `.${type.replace(' ', ' .')}`;
  return found
    .map(({ type, name, count }) => `.reg ${dotted(type)} ${name}${count === null ? '' : `<${count}>`};`)
    .join(' ');
}

function unusable(probe: string, what: string, hint: string): Error {
  return probeUnsupported(`probe ${probe}: ${what}`, hint);
}
