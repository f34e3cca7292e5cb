import { closeSync, openSync, readSync } from 'node:fs';
import { extname } from 'node:path';
import { commandText } from '../support/command-text';
import { KernloopError } from '../support/error';

/** Extensions of source files that a compiler makes a program of. */
const compiled: readonly string[] = ['.hip', '.cu', '.cpp', '.cc', '.cxx', '.c'];
const headers: readonly string[] = ['.h', '.hh', '.hpp', '.hxx', '.cuh', '.inl'];

/** Whether a file of this name is source code. A script that names its interpreter may have such a name as well. */
export const hasSourceName = (name: string): boolean =>
  [...compiled, ...headers, '.py'].includes(extname(name).toLowerCase());

/**
 * Refuses source code as a program: a shell would run its lines as commands. A file that begins with `#!` or is an ELF
 * file is a program whatever its name.
 */
export function refuseSource(program: string, begin: Buffer, processor?: string): void {
  if (!hasSourceName(program) || begin.toString('latin1').startsWith('#!') || begin.subarray(0, 4).equals(elf)) return;
  throw new KernloopError('APP_NOT_FOUND', `${program} is source code, not a program`, sourceHint(program, processor));
}

/** Next step for someone who names a source file, or the program that is built of it, for an AMD device `processor`. */
export function sourceHint(source: string, processor = 'gfx90a'): string {
  const extension = extname(source);
  const path = source.replace(/^\.\//, '');
  if (extension.toLowerCase() === '.py') return `name its interpreter before it: \`${commandText(['python3', path])}\``;
  if (!compiled.includes(extension.toLowerCase())) return 'name the program that is built with it';
  const output = path.slice(0, -extension.length);
  const compiler = extension.toLowerCase() === '.cu' ? ['nvcc'] : ['hipcc', `--offload-arch=${processor}`];
  const program = output.startsWith('/') ? output : `./${output}`;
  return `build it first, as by \`${commandText([...compiler, '-o', output, path])}\` or as its project does, and name the program: ${commandText([program])}`;
}

/** The first of the names that is the source of this program: `lab.hip` of `lab`. */
export const sourceOf = (program: string, names: readonly string[]): string | undefined =>
  [...compiled, '.py'].map((extension) => program + extension).find((name) => names.includes(name));

export function beginOf(path: string): Buffer {
  const begin = Buffer.alloc(4);
  const file = openSync(path, 'r');
  try {
    return begin.subarray(0, readSync(file, begin, 0, begin.length, 0));
  } finally {
    closeSync(file);
  }
}

const elf = Buffer.from('\x7fELF', 'latin1');
