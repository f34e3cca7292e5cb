import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileReproducer, isCompiledWithClang, type CompileResult } from '../toolchain/compile';
import { isSameElsewhere } from '../toolchain/compile-clang';
import type { CompileRequest } from '../toolchain/compile-request';
import type { CompileDeps } from '../toolchain/run-compiler';
import { isSameKernelCode, isSameMachineCode, isSameText, isSameWhenLoaded } from '../toolchain/compared-code';
import { describeCode, type Described } from '../toolchain/described-code';
import { askingFor, asksMore } from './place-names';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { readRegularFile } from '../support/regular-file';

/** Other, relative names of the same length: the text of a message keeps its offset, and no instruction moves. */
const sameLength = ({ recipe: { variant } }: CompileRequest): NonNullable<CompileRequest['elsewhere']> => ({
  deps: 'spot',
  variant: variant.stands_for.padStart(variant.file.length, '../').slice(-variant.file.length),
});
/** Absolute paths, as most builds have them. */
const otherLength = ({ recipe: { variant } }: CompileRequest): NonNullable<CompileRequest['elsewhere']> => ({
  deps: '/in/another/place',
  variant: `/in/another/place/${variant.stands_for}`,
});

/**
 * Whether the code changes with the path or time of compilation: then the app may run other code than the judged one.
 * Code whose instructions differ is refused; other data, such as the text of an assert, is reported beside the verdict.
 * Only a source that could ask for its path or time is compiled again, and never the app's own source, because the
 * captured code may differ in the same way. `outside`: the user's files elsewhere; system headers use such names for
 * their own purposes.
 */
export async function dependsOnPlace(
  request: CompileRequest,
  compiled: Pick<CompileResult, 'sources' | 'outside'>,
  deps: CompileDeps,
): Promise<boolean> {
  const { reproducer, recipe } = request;
  if (Object.entries(compiled.sources).every(([name, digest]) => isOfTheApp(reproducer, name, digest))) return false;
  const files = [...Object.keys(compiled.sources).map((name) => join(reproducer, name)), ...compiled.outside];
  const asking = askingFor(files.map(textOf));
  if (asking === null || recipe.triton !== undefined) return false;
  // nvcc and NVRTC have no option that changes only the name of a file.
  if (!isCompiledWithClang(recipe))
    return Object.keys(compiled.sources).some((name) =>
      asksMore(textOf(join(reproducer, name)), textIfThere(join(reproducer, 'pristine', name))),
    );
  const code = await describeCode(readFileSync(request.output), deps);
  const compiledAs = async (elsewhere: NonNullable<CompileRequest['elsewhere']>): Promise<Described | null> =>
    (await isSameElsewhere(request, elsewhere, deps)) ? code : compiledElsewhere(request, elsewhere, deps);
  const moved = await compiledAs(sameLength(request));
  // Other kernels of the file may differ.
  const isSame = (other: Described | null): boolean =>
    (code !== null && code.sha256 === other?.sha256) ||
    isSameWhenLoaded(code, other) ||
    isSameKernelCode(recipe.symbol, code, other);
  if (!(isSame(moved) || (isSameText(code, moved) ?? isSameMachineCode(recipe.symbol, code, moved))))
    throw refused(files[asking.first] ?? '', reproducer);
  if (asking.when || !isSame(moved)) return true;
  return !isSame(await compiledAs(otherLength(request)));
}

function isOfTheApp(reproducer: string, name: string, digest: string): boolean {
  const path = join(reproducer, 'pristine', name);
  return existsSync(path) && sha256OfFile(path) === digest;
}

/** A backslash at the end of a line may be within a name. */
const textOf = (file: string): string => readRegularFile(file, 'utf8').replaceAll(/\\\r?\n/g, '');

const textIfThere = (file: string): string => (existsSync(file) ? textOf(file) : '');

async function compiledElsewhere(
  request: CompileRequest,
  elsewhere: NonNullable<CompileRequest['elsewhere']>,
  deps: CompileDeps,
): Promise<Described | null> {
  const scratch = mkdtempSync(join(request.scratch ?? tmpdir(), 'kernloop-elsewhere-'));
  try {
    const output = join(scratch, 'variant.bin');
    await compileReproducer({ ...request, output, elsewhere, steps: undefined }, deps);
    return await describeCode(readFileSync(output), deps);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function refused(file: string, reproducer: string): KernloopError {
  const name = file.startsWith(`${reproducer}/`) ? file.slice(reproducer.length + 1) : file;
  return new KernloopError(
    'SOURCE_DEPENDS_ON_REPRODUCER',
    `the instructions are other ones where ${name} is compiled in another folder or at another time: in the app the kernel would be another one than what is judged here`,
    'take what decides by __FILE__, __builtin_FILE(), __DATE__ or the like out of the source; a message may have it',
  );
}
