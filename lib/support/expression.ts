import jsep, { type Expression as Tree } from 'jsep';
import { KernloopError, messageOf, nearest } from './error';

export type Value = number | string | boolean;

/** A formula over named values, parsed once and evaluated many times. It is never run as code. */
export interface Formula {
  readonly text: string;
  /** Names that the formula uses. */
  readonly names: ReadonlySet<string>;
  evaluate(values: Readonly<Record<string, Value>>): Value;
}

// Operators of Python, C and Kernel Tuner's restrictions. jsep's other operators (bits, assignments) are refused when
// they occur.
jsep.addBinaryOp('//', 10);
jsep.addBinaryOp('**', 11, true);
jsep.addBinaryOp('and', 2);
jsep.addBinaryOp('or', 1);

const constants: Readonly<Record<string, Value>> = { True: true, False: false };

const numeric: Readonly<Record<string, (...operands: number[]) => number>> = {
  ceil: Math.ceil,
  floor: Math.floor,
  round: Math.round,
  abs: Math.abs,
  min: Math.min,
  max: Math.max,
  log2: Math.log2,
  sqrt: Math.sqrt,
  pow: Math.pow,
  cdiv: (dividend, divisor) => Math.ceil(dividend / divisor),
  next_power_of_2: (value) => 2 ** Math.ceil(Math.log2(Math.max(1, value))),
};

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => Math.floor(a / b),
  // The result has the divisor's sign, as in Python.
  '%': (a, b) => a - b * Math.floor(a / b),
  '**': (a, b) => a ** b,
};

const order: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** `where` is the formula's place in messages: "--constraint", "the grid". */
export function parseFormula(text: string, where: string): Formula {
  let tree: Tree;
  try {
    tree = jsep(text);
  } catch (error) {
    throw wrong(text, where, messageOf(error));
  }
  const names = new Set<string>();
  try {
    collect(tree, names);
  } catch (error) {
    throw wrong(text, where, messageOf(error));
  }
  return {
    text,
    names,
    evaluate(values) {
      try {
        return valueOf(tree, values);
      } catch (error) {
        throw wrong(text, where, messageOf(error));
      }
    },
  };
}

function wrong(text: string, where: string, why: string): KernloopError {
  return new KernloopError(
    'FORMULA_INVALID',
    `${where}: "${text}": ${why}`,
    'correct it; docs/tune.md says what may stand in a formula',
  );
}

/** Checks every part, even if an evaluation may skip it, so that mistakes are reported before a build. */
function collect(tree: Tree, names: Set<string>): void {
  const node = nodeOf(tree);
  switch (node.type) {
    case 'Literal':
      return;
    case 'Identifier':
      if (!Object.hasOwn(constants, node.name)) names.add(node.name);
      return;
    case 'UnaryExpression':
      return collect(node.argument, names);
    case 'BinaryExpression':
      // Python gives -4 for -2 ** 2; jsep gives 4 and parses (-2) ** 2 to the same tree.
      if (node.operator === '**' && nodeOf(node.left).type === 'UnaryExpression')
        throw new Error('a sign before ** means different things: write pow(-2, 2), or 0 - 2 ** 2');
      collect(node.left, names);
      return collect(node.right, names);
    case 'ConditionalExpression':
      return [node.test, node.consequent, node.alternate].forEach((part) => collect(part, names));
    case 'CallExpression':
      functionOf(node.callee);
      return node.arguments.forEach((part) => collect(part, names));
  }
}

type Node =
  | { type: 'Literal'; value: Value }
  | { type: 'Identifier'; name: string }
  | { type: 'UnaryExpression'; operator: string; argument: Tree }
  | { type: 'BinaryExpression'; operator: string; left: Tree; right: Tree }
  | { type: 'ConditionalExpression'; test: Tree; consequent: Tree; alternate: Tree }
  | { type: 'CallExpression'; callee: Tree; arguments: Tree[] };

function nodeOf(tree: Tree): Node {
  switch (tree.type) {
    case 'Literal': {
      const { value } = tree as unknown as { value: unknown };
      if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean')
        return { type: 'Literal', value };
      throw new Error('null is no value here');
    }
    case 'UnaryExpression': {
      const node = tree as unknown as Extract<Node, { type: 'UnaryExpression' }>;
      if (!['-', '+', '!'].includes(node.operator)) throw new Error(`there is no operator ${node.operator}`);
      return node;
    }
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { operator, left, right } = tree as unknown as Extract<Node, { type: 'BinaryExpression' }>;
      const isKnown =
        operator in arithmetic || operator in order || ['==', '!=', 'and', 'or', '&&', '||'].includes(operator);
      if (!isKnown) throw new Error(`there is no operator ${operator}`);
      return { type: 'BinaryExpression', operator, left, right };
    }
    case 'Identifier':
    case 'ConditionalExpression':
    case 'CallExpression':
      return tree as unknown as Node;
    case 'Compound':
      throw new Error(
        (tree as { body?: unknown[] }).body?.length === 0 ? 'it is empty' : 'it is more than one formula',
      );
    default:
      throw new Error(`${tree.type} cannot stand in a formula`);
  }
}

function functionOf(callee: Tree): (...operands: number[]) => number {
  const name = callee.type === 'Identifier' ? String((callee as unknown as { name: unknown }).name) : '';
  const found = Object.hasOwn(numeric, name) ? numeric[name] : undefined;
  if (found !== undefined) return found;
  throw new Error(`there is no function ${name || 'of that kind'}; there are ${Object.keys(numeric).join(', ')}`);
}

function valueOf(tree: Tree, values: Readonly<Record<string, Value>>): Value {
  const node = nodeOf(tree);
  const of = (part: Tree): Value => valueOf(part, values);
  switch (node.type) {
    case 'Literal':
      return node.value;
    case 'Identifier':
      return named(node.name, values);
    case 'UnaryExpression': {
      if (node.operator === '!') return !truth(of(node.argument), '!');
      const value = number(of(node.argument), node.operator);
      return node.operator === '-' ? -value : value;
    }
    case 'ConditionalExpression':
      return truth(of(node.test), '?') ? of(node.consequent) : of(node.alternate);
    case 'CallExpression':
      return finite(functionOf(node.callee)(...node.arguments.map((part) => number(of(part), 'a function'))));
    case 'BinaryExpression':
      return binary(
        node.operator,
        () => of(node.left),
        () => of(node.right),
      );
  }
}

function binary(operator: string, left: () => Value, right: () => Value): Value {
  // Short-circuits, so that `n == 0 or m % n == 0` works.
  if (operator === 'and' || operator === '&&') return truth(left(), operator) && truth(right(), operator);
  if (operator === 'or' || operator === '||') return truth(left(), operator) || truth(right(), operator);
  const [a, b] = [left(), right()];
  if (operator === '==' || operator === '!=') {
    if (typeof a !== typeof b) throw new Error(`${operator} compares ${shown(a)} with ${shown(b)}`);
    return (a === b) === (operator === '==');
  }
  const compare = order[operator];
  // Rejects `a < b < c`, whose second comparison has a boolean on the left: Python and C disagree on its meaning.
  if (compare) return compare(number(a, operator), number(b, operator));
  const compute = arithmetic[operator];
  if (!compute) throw new Error(`there is no operator ${operator}`);
  return finite(compute(number(a, operator), number(b, operator)));
}

function named(name: string, values: Readonly<Record<string, Value>>): Value {
  const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
  const value = Object.hasOwn(values, name) ? values[name] : constant;
  if (value !== undefined) return value;
  const known = Object.keys(values);
  const [close] = nearest(name, known, 1);
  throw new Error(
    `nothing is called ${name}${close ? ` (did you mean ${close}?)` : ''}; known are ${known.join(', ') || 'no names'}`,
  );
}

function number(value: Value, operator: string): number {
  if (typeof value === 'number') return value;
  throw new Error(
    `${operator} takes numbers, and ${shown(value)} is none${typeof value === 'boolean' ? ' (join comparisons with "and")' : ''}`,
  );
}

function truth(value: Value, operator: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`${operator} takes conditions, and ${shown(value)} is none`);
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new Error('it divides by zero, or gives no number');
}

const shown = (value: Value): string => JSON.stringify(value);
