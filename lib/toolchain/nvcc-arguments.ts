import { parseCompileArguments, type CompileArgument } from './compile-arguments';
import { findNvccOption } from './nvcc-options';

export interface NvccArguments {
  args: CompileArgument[];
  /** Program or folder of `-ccbin`; null for the default. */
  hostCompiler: string | null;
}

/**
 * Parses a command of nvcc. Arguments passed on to the host compiler matter only for preprocessing, which device code
 * needs too; they are marked, so that they are written back in the same form.
 */
export function parseNvccArguments(words: readonly string[]): NvccArguments {
  const args: CompileArgument[] = [];
  const host: string[] = [];
  const forwards = words.some((word) => findNvccOption(word)?.option.kind === 'forward');
  let hostCompiler: string | null = null;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '-') {
      args.push({ option: '', value: word, kind: 'input', separate: true });
      continue;
    }
    const found = findNvccOption(word);
    if (!found) {
      if (forwards) host.push(word);
      else args.push({ option: word, value: null, kind: 'keep', separate: false });
      continue;
    }
    const { option } = found;
    if (option.arity === 'flag') {
      if (option.kind !== 'forward') args.push(flag(option.name, option.kind));
      continue;
    }
    const value = found.value ?? words[index + 1] ?? '';
    if (found.value === null) index += 1;
    if (option.kind === 'host') host.push(...splitList(value));
    else if (option.kind === 'compiler') hostCompiler = value;
    else args.push(...valued(option.name, value, option.kind));
  }
  return { args: [...args, ...hostArguments(host)], hostCompiler };
}

function flag(name: string, kind: string): CompileArgument {
  // These options compile to a relocatable object, like -rdc=true -c.
  if (name === '-dc' || name === '-dw') return { option: '-rdc=', value: 'true', kind: 'keep', separate: false };
  return { option: name, value: null, kind: kind as CompileArgument['kind'], separate: false };
}

/** Folders and files are comma-separated lists; the value of a define stays, because nvcc splits it again. */
function valued(name: string, value: string, kind: string): CompileArgument[] {
  const short = ['-D', '-U', '-O', '-I'].includes(name);
  const option = short ? name : `${name}=`;
  const values = kind === 'include' || kind === 'file' ? splitList(value) : [value];
  return values.map((one) => ({ option, value: one, kind: kind as CompileArgument['kind'], separate: false }));
}

/** A comma after a backslash is part of the value; the backslash stays for writing it back. */
function splitList(value: string): string[] {
  return value.split(/(?<!\\),/).filter((part) => part !== '');
}

/** Options of gcc that do not affect preprocessing, besides those that clang and gcc share. */
const withoutEffect = /^-(W|g|fdiagnostics|fvisibility|rdynamic|p$|pg$)/;

/** Parsed with clang's table, because clang shares gcc's options; only options that affect preprocessing are kept. */
function hostArguments(words: readonly string[]): CompileArgument[] {
  return parseCompileArguments(words)
    .filter(
      ({ kind, option }) => kind !== 'drop' && kind !== 'input' && kind !== 'language' && !withoutEffect.test(option),
    )
    .map((argument) => ({ ...argument, value: argument.value && unquoted(argument), host: true }));
}

/** Arguments for the host compiler pass a shell: quotes around a path are not part of it. */
function unquoted({ kind, value }: CompileArgument): string {
  return kind === 'include' || kind === 'file' ? (value ?? '').replaceAll(/["']/g, '') : (value ?? '');
}

/** Whether the command compiles relocatable device code, which is linked separately. The last option decides. */
export function isRelocatable(args: readonly CompileArgument[]): boolean {
  const last = args.filter(({ option }) => option === '-rdc=').at(-1);
  return last?.value === 'true';
}

/** Options that affect the way from source to PTX: all but those for the assembler. */
export function frontEndArguments(args: readonly CompileArgument[]): CompileArgument[] {
  return args.filter(({ option }) => option !== '-Xptxas=');
}

/** Options for the steps after preprocessing: no architectures, `-D`, include folders or host options. */
export function assemblerArguments(args: readonly CompileArgument[]): CompileArgument[] {
  return args.filter(
    ({ kind, host, option }) => kind === 'keep' && host !== true && option !== '-D' && option !== '-U',
  );
}
