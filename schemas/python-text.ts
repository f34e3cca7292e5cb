/** Words that no name may be. */
const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield self'.split(
    ' ',
  ),
);

/** "maxBytes" and "pgo-show" as Python writes them. */
export function pythonName(name: string): string {
  const snake = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9_]/g, '_')
    .toLowerCase();
  return keywords.has(snake) ? `${snake}_` : snake;
}

/** "hotSpots" and "trace-read" as the name of a class has them. */
export function attributeOf(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');
}

export function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

/** Lines of at most `width` characters; all but the first one begin with `indent`. */
export function wrapped(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.replaceAll(/\s+/g, ' ').split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : `${indent}${word}`);
  }
  return lines;
}

/** Text as Python's documentation of what stands before or around it. */
export function docstring(lines: readonly string[], columns: number): string[] {
  const pad = ' '.repeat(columns);
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', "'''"));
  const text = safe.map((line) => (line === '' ? '' : `${pad}${line}`));
  const [first = ''] = safe;
  if (text.length === 1) return [`${pad}"""${first}${first.endsWith('"') ? ' ' : ''}"""`];
  return [`${pad}"""${first}`, ...text.slice(1), `${pad}"""`];
}

/** The name of one of several: "regions" to "region". */
export function singular(path: string): string {
  if (path.endsWith('nalyses')) return path.replace(/es$/, 'is');
  if (/(ss|[nt]ch)es$/.test(path)) return path.slice(0, -2);
  if (path.endsWith('ies')) return `${path.slice(0, -3)}y`;
  return /[^s]s$/.test(path) ? path.slice(0, -1) : path;
}
