/** Longest line of a generated JSON file. */
const width = 120;

/** JSON for reviewers: an object or array is one line where it fits, so that a change of one property is one line. */
export function jsonLines(value: object): string {
  return `${written(value, '', 0)}\n`;
}

function written(value: unknown, indent: string, column: number): string {
  const line = onOneLine(value);
  if (typeof value !== 'object' || value === null || column + line.length <= width) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => `${inner}${written(item, inner, inner.length)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const members = defined(value).map(([name, member]) => {
    const start = `${inner}${JSON.stringify(name)}: `;
    return `${start}${written(member, inner, start.length)}`;
  });
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  const members = defined(value).map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** JSON has no undefined. */
const defined = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined);
