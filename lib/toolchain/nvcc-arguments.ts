import { parseCompileArguments, type CompileArgument } from './compile-arguments';
import { findNvccOption } from './nvcc-options';

export interface NvccArguments {
  args: CompileArgument[];
  /** `-ccbin`: a program, or the folder of one; null for the default. */
  hostCompiler: string | null;
}

/**
 * Reads a command of nvcc. What it hands on to the host compiler matters as far as the preprocessor goes, which runs for device
 * code too; such arguments are marked, so that they are written back the same way.
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
  // Compiles to a relocatable object, like -rdc=true -c.
  if (name === '-dc' || name === '-dw') return { option: '-rdc=', value: 'true', kind: 'keep', separate: false };
  return { option: name, value: null, kind: kind as CompileArgument['kind'], separate: false };
}

/** Folders and files are lists with commas; the value of a define is left as it is, as nvcc splits it in the same way again. */
function valued(name: string, value: string, kind: string): CompileArgument[] {
  const short = ['-D', '-U', '-O', '-I'].includes(name);
  const option = short ? name : `${name}=`;
  const values = kind === 'include' || kind === 'file' ? splitList(value) : [value];
  return values.map((one) => ({ option, value: one, kind: kind as CompileArgument['kind'], separate: false }));
}

/** A comma behind a backslash is part of the value; the backslash stays, for writing it back. */
function splitList(value: string): string[] {
  return value.split(/(?<!\\),/).filter((part) => part !== '');
}

/** Options of gcc that show in no preprocessed text, beside those that clang and gcc share. */
const withoutEffect = /^-(W|g|fdiagnostics|fvisibility|rdynamic|p$|pg$)/;

/** Read by the table of clang, which shares gcc's options; only what reaches the preprocessor is kept. */
function hostArguments(words: readonly string[]): CompileArgument[] {
  return parseCompileArguments(words)
    .filter(
      ({ kind, option }) => kind !== 'drop' && kind !== 'input' && kind !== 'language' && !withoutEffect.test(option),
    )
    .map((argument) => ({ ...argument, value: argument.value && unquoted(argument), host: true }));
}

/** What goes to the host compiler passes a shell: quotes around a path are not part of it. */
function unquoted({ kind, value }: CompileArgument): string {
  return kind === 'include' || kind === 'file' ? (value ?? '').replaceAll(/["']/g, '') : (value ?? '');
}

/** Whether the command makes relocatable device code, that is linked in a step of its own. The last option decides. */
export function isRelocatable(args: readonly CompileArgument[]): boolean {
  const last = args.filter(({ option }) => option === '-rdc=').at(-1);
  return last?.value === 'true';
}

/** Options that have a say while source becomes PTX: all but what is meant for the assembler. */
export function frontEndArguments(args: readonly CompileArgument[]): CompileArgument[] {
  return args.filter(({ option }) => option !== '-Xptxas=');
}

/** Options that name an architecture, or have no say once preprocessed code is compiled on: `-D`, include folders, the host compiler's. */
export function assemblerArguments(args: readonly CompileArgument[]): CompileArgument[] {
  return args.filter(
    ({ kind, host, option }) => kind === 'keep' && host !== true && option !== '-D' && option !== '-U',
  );
}
