import type { Node } from 'web-tree-sitter';
import { boundNames, importsIn, readNames, type PythonImport } from './python-names';
import type { SourceParser } from './source-parser';

/** Lines of a module that belong together: a definition, an import, an assignment. */
export interface PythonStatement {
  /** First line, counted from 1, decorators included. */
  line: number;
  lines: string[];
  binds: string[];
  reads: ReadonlySet<string>;
  imports: PythonImport[];
  /** Decorators left out of `lines`, as written. */
  dropped: string[];
  /** Whether the statement is a plain import, from which unused names can be dropped. */
  isImport: boolean;
  /** Whether the statement is `from __future__ import …`, which affects every line of the module. */
  isFuture: boolean;
}

export interface PythonModule {
  statements: PythonStatement[];
  /** Finds a function inside a function by its qualified name. */
  nested(qualname: string): PythonStatement | null;
}

/** Decorators to keep; those that only affect launches are dropped: autotuner, heuristics, library wrappers. */
const keptDecorator = /(^|\.)(jit|constexpr_function|_?aggregate)$/;

export function readPythonModule(text: string, parser: SourceParser): PythonModule {
  return parser.parse(text, (root) => {
    const nested = new Map<string, PythonStatement>();
    const statements = root.namedChildren.flatMap((node) => {
      if (node === null || node.type === 'comment') return [];
      collectNested(node, [], nested, text);
      return [statementOf(node, text)];
    });
    return { statements, nested: (qualname) => nested.get(qualname) ?? null };
  });
}

function statementOf(node: Node, text: string): PythonStatement {
  const lines = text.split(/\r?\n/).slice(node.startPosition.row, node.endPosition.row + 1);
  const dropped = droppedDecorators(node);
  const reads = readNames(node);
  for (const { names } of dropped) for (const name of names) if (!readBeside(node, name, dropped)) reads.delete(name);
  return {
    line: node.startPosition.row + 1,
    lines: withoutLines(lines, node.startPosition.row, dropped),
    binds: boundNames(node),
    reads,
    imports: importsIn(node),
    dropped: dropped.map(({ text: words }) => words),
    isImport: node.type === 'import_statement' || node.type === 'import_from_statement',
    isFuture: node.type === 'future_import_statement',
  };
}

interface Dropped {
  text: string;
  first: number;
  last: number;
  names: Set<string>;
}

function droppedDecorators(node: Node): Dropped[] {
  if (node.type !== 'decorated_definition') return [];
  return node.namedChildren.flatMap((child) => {
    if (child?.type !== 'decorator') return [];
    const named = child.namedChildren[0];
    const callee = named?.type === 'call' ? named.childForFieldName('function') : named;
    if (callee == null || keptDecorator.test(callee.text)) return [];
    return [{ text: child.text, first: child.startPosition.row, last: child.endPosition.row, names: readNames(child) }];
  });
}

/** Whether the definition reads the name outside the dropped decorators. */
function readBeside(node: Node, name: string, dropped: readonly Dropped[]): boolean {
  const rows = new Set(dropped.map(({ first }) => first));
  return node.namedChildren.some(
    (child) =>
      child !== null &&
      !(child.type === 'decorator' && rows.has(child.startPosition.row)) &&
      readNames(child).has(name),
  );
}

/** Empties the lines but keeps them, so that later lines keep their numbers. */
function withoutLines(lines: readonly string[], start: number, dropped: readonly Dropped[]): string[] {
  const gone = (index: number): boolean =>
    dropped.some(({ first, last }) => index + start >= first && index + start <= last);
  return lines.map((line, index) => (gone(index) ? '' : line));
}

/** Collects nested functions by their qualified name in Python, `outer.<locals>.inner`. */
function collectNested(node: Node, outer: readonly string[], found: Map<string, PythonStatement>, text: string): void {
  const definition = node.type === 'decorated_definition' ? node.childForFieldName('definition') : node;
  const isFunction = definition?.type === 'function_definition';
  const isClass = definition?.type === 'class_definition';
  const name = definition?.childForFieldName('name')?.text ?? '';
  if (isFunction && outer.length > 0) found.set([...outer, name].join('.'), dedented(statementOf(node, text)));
  const path = isFunction ? [...outer, name, '<locals>'] : isClass ? [...outer, name] : outer;
  const inside = isFunction || isClass ? definition?.childForFieldName('body') : node;
  for (const child of inside?.namedChildren ?? []) if (child !== null) collectNested(child, path, found, text);
}

function dedented(statement: PythonStatement): PythonStatement {
  const indents = statement.lines
    .filter((line) => line.trim() !== '')
    .map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return { ...statement, lines: statement.lines.map((line) => line.slice(indent)) };
}
