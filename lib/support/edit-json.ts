import { applyEdits, modify, type JSONPath } from 'jsonc-parser';

/** Sets a value in JSON text and keeps the rest of the text, including comments and layout. */
export function editJsonText(text: string, path: JSONPath, value: unknown): string {
  const isArrayInsertion = typeof path.at(-1) === 'number';
  return applyEdits(text, modify(text, path, value, { formattingOptions: layoutOf(text), isArrayInsertion }));
}

function layoutOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
