/** A kernel's name as a demangler prints it: `void a::(anonymous namespace)::scale<float, 4>(float*, int)`. */
export interface DemangledName {
  /** Enclosing namespaces and classes, outermost first, without their template arguments; null for an anonymous namespace. */
  scope: (string | null)[];
  base: string;
  /** Template arguments of the kernel itself; null if it is no template. */
  templateArguments: string[] | null;
  /** Parameter types; null for `extern "C"` names, which carry none. */
  parameters: string[] | null;
}

const anonymous = '(anonymous namespace)';
const openers = '<([{';
const closers = '>)]}';

/**
 * Parses a demangled name by tracking brackets. Only in operators are `<` and `>` no brackets; a kernel is never an
 * operator, but a template argument can be `&(operator<)`.
 */
export function parseDemangledName(name: string): DemangledName {
  const text = withoutSuffix(name.trim());
  const parametersAt = findParameters(text);
  const qualified = qualifiedName(parametersAt < 0 ? text : text.slice(0, parametersAt));
  const parts = splitTopLevel(qualified, '::');
  const last = parts[parts.length - 1] ?? '';
  return {
    scope: parts.slice(0, -1).map((part) => (part === anonymous ? null : withoutTemplateArguments(part))),
    base: withoutAbiTags(withoutTemplateArguments(last)),
    templateArguments: templateArguments(last),
    parameters: parametersAt < 0 ? null : parameterTypes(text.slice(parametersAt)),
  };
}

/** Removes the suffixes ` [clone .kd]` and `.kd`, the symbol of a kernel descriptor. */
function withoutSuffix(text: string): string {
  const clone = text.indexOf(' [clone ');
  const plain = clone < 0 ? text : text.slice(0, clone);
  return plain.endsWith('.kd') ? plain.slice(0, -3) : plain;
}

/** Finds the start of the parameter list: the last top-level parenthesis that does not open `(anonymous namespace)`. */
function findParameters(text: string): number {
  let found = -1;
  walkTopLevel(text, (index) => {
    if (text[index] === '(' && !text.startsWith(anonymous, index)) found = index;
  });
  return found;
}

/** Drops the return type that template instances carry. */
function qualifiedName(text: string): string {
  let start = 0;
  walkTopLevel(text, (index) => {
    if (text[index] === ' ' && text.slice(start, index) !== '') start = index + 1;
  });
  return text.slice(start).trim();
}

function templateArguments(part: string): string[] | null {
  const open = part.indexOf('<');
  if (open < 0 || !part.endsWith('>')) return null;
  return splitTopLevel(part.slice(open + 1, -1), ',').map((argument) => argument.trim());
}

function parameterTypes(list: string): string[] {
  const inside = list.slice(1, list.lastIndexOf(')'));
  return inside.trim() === '' ? [] : splitTopLevel(inside, ',').map((type) => type.trim());
}

function withoutTemplateArguments(part: string): string {
  const open = part.indexOf('<');
  return open < 0 ? part : part.slice(0, open);
}

function withoutAbiTags(part: string): string {
  const tag = part.indexOf('[abi:');
  return tag < 0 ? part : part.slice(0, tag);
}

function splitTopLevel(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  walkTopLevel(text, (index) => {
    if (index >= start && text.startsWith(separator, index)) {
      parts.push(text.slice(start, index));
      start = index + separator.length;
    }
  });
  return [...parts, text.slice(start)];
}

/** Calls `visit` for each character outside all brackets, including opening brackets. */
function walkTopLevel(text: string, visit: (index: number) => void): void {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const operator = operatorLength(text, index);
    if (operator > 0) {
      index += operator - 1;
      continue;
    }
    const character = text[index] ?? '';
    // `->` ends no template argument list.
    if (closers.includes(character) && !(character === '>' && text[index - 1] === '-')) depth = Math.max(0, depth - 1);
    else if (depth === 0) visit(index);
    if (openers.includes(character)) depth += 1;
  }
}

const operators = [
  'operator<<=',
  'operator>>=',
  'operator<=>',
  'operator->*',
  'operator()',
  'operator[]',
  'operator<<',
  'operator>>',
].concat(['operator<=', 'operator>=', 'operator->', 'operator<', 'operator>']);

function operatorLength(text: string, index: number): number {
  if (!text.startsWith('operator', index)) return 0;
  return operators.find((operator) => text.startsWith(operator, index))?.length ?? 0;
}
