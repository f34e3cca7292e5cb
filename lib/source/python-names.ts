import type { Node } from 'web-tree-sitter';

/** Names that a piece of Python binds in its own scope, not inside functions and classes. */
export function boundNames(node: Node): string[] {
  switch (node.type) {
    case 'function_definition':
    case 'class_definition':
      return textsOf([node.childForFieldName('name')]);
    case 'decorated_definition':
      return boundNames(node.childForFieldName('definition') ?? node);
    case 'import_statement':
    case 'import_from_statement':
      return importsIn(node).flatMap(({ bound }) => bound ?? []);
    case 'assignment':
    case 'augmented_assignment':
    case 'for_statement':
      return [
        ...targetNames(node.childForFieldName('left')),
        ...node.namedChildren.flatMap((child) => (child !== null && nesting.has(child.type) ? boundNames(child) : [])),
      ];
    case 'named_expression':
      return textsOf([node.childForFieldName('name')]);
    case 'as_pattern_target':
      return targetNames(node);
    case 'lambda':
    case 'list_comprehension':
    case 'dictionary_comprehension':
    case 'set_comprehension':
    case 'generator_expression':
      return [];
    default:
      return node.namedChildren.flatMap((child) => (child === null ? [] : boundNames(child)));
  }
}

/** A name that an import binds. */
export interface PythonImport {
  /** Number of dots before the name. */
  level: number;
  /** Module of `from module import …`, or the imported module itself. */
  module: string;
  /** Name imported from the module; null for the module itself, "*" for everything. */
  name: string | null;
  /** Local name; null for "*". */
  bound: string | null;
}

/** Every name that the imports below a node bind. */
export function importsIn(node: Node): PythonImport[] {
  if (node.type === 'import_statement') {
    return node.childrenForFieldName('name').map((each) => {
      const module = nameIn(each);
      return { level: 0, module, name: null, bound: aliasIn(each) ?? module.split('.')[0] ?? module };
    });
  }
  if (node.type === 'import_from_statement') {
    const from = node.childForFieldName('module_name')?.text ?? '';
    const [, dots = '', module = ''] = /^(\.*)\s*(.*)$/.exec(from) ?? [];
    const named = node.childrenForFieldName('name').map((each) => {
      const name = nameIn(each);
      return { level: dots.length, module, name, bound: aliasIn(each) ?? name };
    });
    const isAll = node.namedChildren.some((child) => child?.type === 'wildcard_import');
    return isAll ? [{ level: dots.length, module, name: '*', bound: null }] : named;
  }
  if (isScope(node)) return [];
  return node.namedChildren.flatMap((child) => (child === null ? [] : importsIn(child)));
}

/** Module-level names that a piece reads; names local to its functions are excluded. */
export function readNames(node: Node): Set<string> {
  const names = new Set<string>();
  read(node, new Set(), names);
  return names;
}

function read(node: Node, own: ReadonlySet<string>, names: Set<string>): void {
  switch (node.type) {
    case 'identifier':
      if (!own.has(node.text)) names.add(node.text);
      return;
    case 'attribute':
      return readField(node, 'object', own, names);
    case 'keyword_argument':
      return readField(node, 'value', own, names);
    case 'import_statement':
    case 'import_from_statement':
    case 'comment':
      return;
    case 'function_definition':
    case 'lambda': {
      const parameters = node.childForFieldName('parameters');
      const inside = new Set([...own, ...parameterNames(parameters)]);
      const body = node.childForFieldName('body');
      if (body !== null && node.type === 'function_definition') for (const name of boundNames(body)) inside.add(name);
      readParameters(parameters, own, names);
      readField(node, 'return_type', own, names);
      if (body !== null) read(body, inside, names);
      return;
    }
    case 'class_definition':
      readField(node, 'superclasses', own, names);
      return readField(node, 'body', own, names);
    default:
      for (const child of node.namedChildren) if (child !== null) read(child, own, names);
  }
}

function readField(node: Node, field: string, own: ReadonlySet<string>, names: Set<string>): void {
  const found = node.childForFieldName(field);
  if (found !== null) read(found, own, names);
}

/** Defaults and annotations are evaluated in the enclosing scope. */
function readParameters(parameters: Node | null, own: ReadonlySet<string>, names: Set<string>): void {
  for (const parameter of parameters?.namedChildren ?? []) {
    if (parameter === null) continue;
    readField(parameter, 'type', own, names);
    readField(parameter, 'value', own, names);
  }
}

function parameterNames(parameters: Node | null): string[] {
  return (parameters?.namedChildren ?? []).flatMap((parameter) => {
    if (parameter === null) return [];
    if (parameter.type === 'identifier') return [parameter.text];
    const name = parameter.childForFieldName('name') ?? parameter.namedChildren[0] ?? null;
    return name === null ? [] : targetNames(name);
  });
}

/** Targets are `a`, `(a, b)`, `*rest`; `a.b` and `a[0]` bind no name. */
function targetNames(node: Node | null): string[] {
  if (node === null || node.type === 'attribute' || node.type === 'subscript') return [];
  if (node.type === 'identifier') return [node.text];
  return node.namedChildren.flatMap(targetNames);
}

const isScope = ({ type }: Node): boolean =>
  type === 'function_definition' || type === 'class_definition' || type === 'lambda';

/** Nodes of loops and of `a = b = 1` that can contain further bindings. */
const nesting: ReadonlySet<string> = new Set(['block', 'else_clause', 'assignment']);

const nameIn = (node: Node): string => node.childForFieldName('name')?.text ?? node.text;
const aliasIn = (node: Node): string | undefined => node.childForFieldName('alias')?.text;
const textsOf = (nodes: readonly (Node | null)[]): string[] => nodes.flatMap((node) => node?.text ?? []);
