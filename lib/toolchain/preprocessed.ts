/** Part of a preprocessed source that comes from one file. */
export interface Part {
  readonly file: string;
  /** Whether the compiler calls it a header of the system. */
  readonly isSystem: boolean;
  /** Line of the file that the part begins with. */
  readonly line: number;
  readonly text: string;
}

/** `# LINE "FILE" FLAGS`: 3 is a header of the system. */
const marker = /^# (\d+) "((?:\\.|[^"\\])*)"((?: \d)*)$/;

/** Parts of the output of `clang -E`, in its order. */
export function partsOf(preprocessed: string): Part[] {
  const parts: Part[] = [];
  let open: { file: string; isSystem: boolean; line: number; lines: string[] } | null = null;
  const close = (): void => {
    if (open) parts.push({ file: open.file, isSystem: open.isSystem, line: open.line, text: open.lines.join('\n') });
  };
  for (const text of preprocessed.split('\n')) {
    const [, line, file = '', flags = ''] = marker.exec(text) ?? [];
    if (line === undefined) open?.lines.push(text);
    else {
      close();
      open = { file: file.replaceAll(/\\(.)/g, '$1'), isSystem: flags.includes('3'), line: Number(line), lines: [] };
    }
  }
  close();
  return parts;
}

/** `#include` as `-dI` prints it; only those between < and > are found without the folder of the file. */
const included = /^#\s*include\s*(<[^>\n]+>) \/\* clang -E -dI \*\/$/;

/** Headers that files of the user include from the system, as they are spelled, in the order of their first inclusion. */
export function systemIncludes(parts: readonly Part[]): string[] {
  // Clang names the file once more between a directive and what it includes.
  const told = parts.filter(({ isSystem, text }) => isSystem || text.trim() !== '');
  const found = told.flatMap((part, index) => {
    if (part.isSystem || told[index + 1]?.isSystem !== true) return [];
    const [, spelled] = included.exec(part.text.trimEnd().split('\n').at(-1) ?? '') ?? [];
    return spelled === undefined ? [] : [spelled];
  });
  return [...new Set(found)];
}

/**
 * Text of the headers of the system, or of the user, without what only says where it comes from, and without a macro that
 * ends where it begins: a header that is found again leaves no other trace.
 */
export function textOf(parts: readonly Part[], isSystem: boolean): string {
  const lines = parts
    .filter((part) => part.isSystem === isSystem)
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.trim() !== '' && !/^#\s*include(_next)?\b/.test(line));
  const isBegin = (index: number): boolean => {
    const [, name] = /^#\s*define (\w+)/.exec(lines[index] ?? '') ?? [];
    return name !== undefined && lines[index + 1]?.trim() === `#undef ${name}`;
  };
  return lines.filter((_, index) => !isBegin(index) && !isBegin(index - 1)).join('\n');
}

/**
 * Whether text of the user that comes before headers of the system leaves them as they are: it is in no open brace, such as
 * that of a namespace, and sets no pragma.
 */
export function isNeutral(parts: readonly Part[]): boolean {
  let depth = 0;
  const last = parts.findLastIndex(({ isSystem }) => isSystem);
  return parts.slice(0, last + 1).every(({ isSystem, text }) => {
    if (isSystem) return depth === 0;
    depth += text.split('{').length - text.split('}').length;
    return !/^\s*#\s*pragma\s+(?!once\b)|_Pragma/m.test(text);
  });
}
