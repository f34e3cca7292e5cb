import type { ReducedModule } from '../source/reduce-python';
import type { PythonImport } from '../source/python-names';
import type { PythonStatement } from '../source/python-module';

/** Line here, number of lines, line in the app's file; lines count from 1. */
export type LineMap = [number, number, number][];

/** Text of an app's module reduced to what the kernel needs, and the original line of each of its lines. */
export function moduleText(module: ReducedModule, header: readonly string[]): { text: string; lines: LineMap } {
  const text = header.map((line) => `# ${line}`);
  const map: LineMap = [];
  const put = (lines: readonly string[], origin: number | null): void => {
    if (origin !== null) map.push([text.length + 1, lines.length, origin]);
    text.push(...lines);
  };
  const { statements, values } = module;
  const future = statements.filter(({ statement: { isFuture } }) => isFuture);
  for (const { statement } of future) put(statement.lines, statement.line);
  if (values.length > 0) {
    const imports = languageImports(values.map(({ text: value }) => value).join('\n'));
    if (imports.length > 0) put(['', ...imports], null);
    put(['', '# What these were in the process of the app.'], null);
    for (const { name, text: value } of values) put([`${name} = ${value}`], null);
  }
  let before: PythonStatement | null = null;
  for (const { statement, imports } of statements) {
    if (statement.isFuture) continue;
    put(blankLines(before, statement), null);
    const lines = statement.isImport ? [importText(imports)] : statement.lines;
    const first = lines.findIndex((line) => line.trim() !== '');
    put(lines.slice(first), statement.line + first);
    before = statement;
  }
  return { text: `${text.join('\n')}\n`, lines: map };
}

/** Imports that recorded values need. */
export function languageImports(text: string): string[] {
  return [
    ...(/\btl\./.test(text) ? ['import triton.language as tl'] : []),
    ...(/\bgl\./.test(text) ? ['from triton.experimental.gluon import language as gl'] : []),
  ];
}

/** Blank lines as formatters place them: two around definitions, none between imports. */
function blankLines(before: PythonStatement | null, next: PythonStatement): string[] {
  if (before === null) return [''];
  const isDefinition = (statement: PythonStatement): boolean =>
    /^\s*(@|def |class )/.test(statement.lines.find((line) => line !== '') ?? '');
  if (isDefinition(before) || isDefinition(next)) return ['', ''];
  return before.isImport === next.isImport ? [] : [''];
}

/** One import line with the needed names. */
function importText(imports: readonly PythonImport[]): string {
  const [first] = imports;
  if (first === undefined) throw new Error('an import without a name is not taken');
  const named = imports.map(({ name, bound }) =>
    name === null || name === bound || name === '*' ? name : `${name} as ${bound ?? ''}`,
  );
  if (first.name !== null) return `from ${'.'.repeat(first.level)}${first.module} import ${named.join(', ')}`;
  const modules = imports.map(({ module, bound }) =>
    bound === null || bound === module || bound === module.split('.')[0] ? module : `${module} as ${bound}`,
  );
  return `import ${modules.join(', ')}`;
}
