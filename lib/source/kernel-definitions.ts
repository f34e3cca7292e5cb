import type { Node } from 'web-tree-sitter';
import { plainHeaders } from './kernel-headers';
import type { SourceParser } from './source-parser';

export interface KernelParameter {
  /** Null if the parameter has no name. */
  name: string | null;
  /** Declaration as written, without name and default: `const float* __restrict__`. */
  declared: string;
}

/** One definition (a declaration with a body) of a `__global__` function. */
export interface KernelDefinition {
  name: string;
  /** Enclosing namespaces and classes, outermost first; null for an anonymous namespace. */
  scope: (string | null)[];
  externC: boolean;
  isTemplate: boolean;
  /** Template arguments of an explicit specialisation (`scale<int>`), as written. */
  specialization: string | null;
  parameters: KernelParameter[];
  line: number;
  /** Whether the grammar recovered from an error inside the definition; its parameters may then be misread. */
  hasError: boolean;
}

/** Finds every kernel that a source text defines, regardless of preprocessor conditions. */
export function findKernelDefinitions(text: string, parser: SourceParser): KernelDefinition[] {
  const asWritten = parseDefinitions(text, parser);
  const plain = plainHeaders(text);
  if (asWritten.length >= plain.count && !asWritten.some(({ hasError }) => hasError)) return asWritten;
  // The grammar cannot parse macros and preprocessor lines around a name.
  const byLine = new Map(asWritten.map((definition) => [definition.line, definition]));
  for (const definition of parseDefinitions(plain.text, parser)) {
    if (byLine.get(definition.line)?.hasError ?? true) byLine.set(definition.line, definition);
  }
  return [...byLine.values()].sort((a, b) => a.line - b.line);
}

function parseDefinitions(text: string, parser: SourceParser): KernelDefinition[] {
  const found: KernelDefinition[] = [];
  parser.parse(text, (root) => visit(root, { scope: [], externC: false, isTemplate: false }, found));
  return found;
}

interface Surroundings {
  scope: (string | null)[];
  externC: boolean;
  isTemplate: boolean;
}

function visit(node: Node, around: Surroundings, found: KernelDefinition[]): void {
  if (node.type === 'function_definition') {
    const kernel = readKernel(node, around);
    if (kernel) found.push(kernel);
    return;
  }
  const inside = enter(node, around);
  for (const child of node.namedChildren) visit(child, inside, found);
}

function enter(node: Node, around: Surroundings): Surroundings {
  switch (node.type) {
    case 'namespace_definition':
      return { ...around, scope: [...around.scope, ...namespaceNames(node)] };
    case 'class_specifier':
    case 'struct_specifier':
      return { ...around, scope: [...around.scope, node.childForFieldName('name')?.text ?? null], isTemplate: false };
    case 'linkage_specification':
      return { ...around, externC: node.childForFieldName('value')?.text === '"C"' };
    case 'template_declaration':
      return { ...around, isTemplate: true };
    default:
      return around;
  }
}

/** `namespace a::b` opens two, `namespace` alone an anonymous one. Mangled names include inline namespaces. */
function namespaceNames(node: Node): (string | null)[] {
  const name = node.childForFieldName('name');
  if (!name) return [null];
  return name.type === 'nested_namespace_specifier' ? identifiersIn(name) : [name.text];
}

function identifiersIn(node: Node): string[] {
  return node.namedChildren.flatMap((child) =>
    child.type === 'nested_namespace_specifier' ? identifiersIn(child) : [child.text],
  );
}

function readKernel(definition: Node, around: Surroundings): KernelDefinition | null {
  const specifier = globalSpecifier(definition);
  if (!specifier) return null;
  const declarator = functionDeclarator(definition.childForFieldName('declarator'));
  const named = declarator && readName(declarator.childForFieldName('declarator'));
  if (!declarator || !named) return null;
  return {
    name: named.name,
    scope: [...around.scope, ...named.scope],
    externC: around.externC,
    isTemplate: around.isTemplate,
    specialization: named.specialization,
    parameters: readParameters(declarator.childForFieldName('parameters')),
    line: specifier.startPosition.row + 1,
    hasError: definition.hasError && !onlyBodyHasError(definition),
  };
}

/** `__global__` may precede or follow the return type, or be an attribute; it is never in declarator or body. */
function globalSpecifier(definition: Node): Node | undefined {
  return definition.children.find((child) => child.type === '__global__');
}

function onlyBodyHasError(definition: Node): boolean {
  return definition.namedChildren.every((child) => child.type === 'compound_statement' || !child.hasError);
}

/** Descends through references, pointers, parentheses and attributes around the declarator. */
function functionDeclarator(node: Node | null): Node | null {
  for (let current = node; current; current = current.childForFieldName('declarator') ?? current.namedChild(0)) {
    if (current.type === 'function_declarator') return current;
    if (current.type === 'identifier') return null;
  }
  return null;
}

interface Name {
  name: string;
  scope: string[];
  specialization: string | null;
}

function readName(node: Node | null): Name | null {
  switch (node?.type) {
    case 'identifier':
    case 'field_identifier':
      return { name: node.text, scope: [], specialization: null };
    case 'template_function':
      return {
        name: node.childForFieldName('name')?.text ?? '',
        scope: [],
        specialization: node.childForFieldName('arguments')?.text ?? null,
      };
    case 'qualified_identifier': {
      const inner = readName(node.childForFieldName('name'));
      const scope = node.childForFieldName('scope')?.text;
      return inner && { ...inner, scope: scope === undefined ? inner.scope : [scope, ...inner.scope] };
    }
    case 'parenthesized_declarator':
      return readName(node.namedChild(0));
    default:
      return null;
  }
}

const parameterNodes = new Set([
  'parameter_declaration',
  'optional_parameter_declaration',
  'variadic_parameter_declaration',
]);

function readParameters(list: Node | null): KernelParameter[] {
  const parameters = (list?.namedChildren ?? []).filter((child) => parameterNodes.has(child.type));
  const read = parameters.map(readParameter);
  // `f(void)` has no parameters.
  return read.length === 1 && read[0]?.name === null && read[0].declared === 'void' ? [] : read;
}

function readParameter(parameter: Node): KernelParameter {
  const name = parameterName(parameter.childForFieldName('declarator'));
  const end = parameter.childForFieldName('default_value')?.startIndex ?? parameter.endIndex;
  const before = parameter.text.slice(0, (name?.startIndex ?? end) - parameter.startIndex);
  const after = name ? parameter.text.slice(name.endIndex - parameter.startIndex, end - parameter.startIndex) : '';
  const written = `${before} ${after}`
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ');
  return { name: name?.text ?? null, declared: written.endsWith('=') ? written.slice(0, -1).trim() : written };
}

function parameterName(node: Node | null): Node | null {
  if (!node || node.type.startsWith('abstract_')) return null;
  if (node.type === 'identifier') return node;
  const inner =
    node.childForFieldName('declarator') ?? node.namedChildren.find((child) => child.type !== 'type_qualifier') ?? null;
  return parameterName(inner);
}
