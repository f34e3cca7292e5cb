import type { Node } from 'web-tree-sitter';
import type { SourceParser } from '../source/source-parser';
import type { Place } from './text-edits';

export interface Constant extends Place {
  line: number;
  /** Names of the enclosing functions. */
  functions: string[];
}

/** Finds where a source gives a name its value: `#define NAME 16`, `constexpr int NAME = 16`, an enumerator. */
export function constantsNamed(name: string, text: string, parser: SourceParser): Constant[] {
  return parser.parse(text, (root) => {
    const found: Constant[] = [];
    visit(root, name, [], found);
    return found;
  });
}

function visit(node: Node, name: string, functions: readonly string[], found: Constant[]): void {
  const value = valueOf(node, name);
  if (value !== null) {
    const lead = value.text.length - value.text.trimStart().length;
    // The value node of a #define extends to the end of the line, comments included.
    const text = value.text.trim().replace(/\s*(\/\/.*|\/\*.*\*\/)$/s, '');
    const start = value.startIndex + lead;
    found.push({ start, end: start + text.length, text, line: value.startPosition.row + 1, functions: [...functions] });
  }
  const here = node.type === 'function_definition' ? [...functions, functionName(node)] : functions;
  for (const child of node.namedChildren) if (child) visit(child, name, here, found);
}

function valueOf(node: Node, name: string): Node | null {
  switch (node.type) {
    case 'preproc_def':
    case 'enumerator':
      return node.childForFieldName('name')?.text === name ? node.childForFieldName('value') : null;
    case 'init_declarator': {
      if (node.childForFieldName('declarator')?.text !== name || !isConstant(node.parent)) return null;
      return node.childForFieldName('value');
    }
    case 'field_declaration':
      return node.childForFieldName('declarator')?.text === name && isConstant(node)
        ? node.childForFieldName('default_value')
        : null;
    default:
      return null;
  }
}

const isConstant = (declaration: Node | null): boolean =>
  declaration?.namedChildren.some(
    (child) => child?.type === 'type_qualifier' && /^const(expr|init)?$/.test(child.text),
  ) ?? false;

function functionName(node: Node): string {
  const declarator = node.descendantsOfType('function_declarator')[0]?.childForFieldName('declarator');
  return declarator?.text.split('::').at(-1) ?? '';
}
