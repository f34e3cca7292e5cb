import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileReproducer, isCompiledWithClang, type CompileResult } from '../toolchain/compile';
import type { CompileRequest } from '../toolchain/compile-request';
import type { CompileDeps } from '../toolchain/run-compiler';
import { isSameMachineCode } from '../toolchain/machine-code';
import { isSameText, isSameWhenLoaded } from '../toolchain/loaded-sections';
import { askingFor, asksMore } from './place-names';
import { KernloopError } from '../support/error';
import { sha256OfFile } from '../support/files';
import { readRegularFile } from '../support/regular-file';

/** Other names, relative ones, of the same length: the text of a message then lies where it lay, and moves no instruction. */
const sameLength = ({ recipe: { variant } }: CompileRequest): NonNullable<CompileRequest['elsewhere']> => ({
  deps: 'spot',
  variant: variant.stands_for.padStart(variant.file.length, '../').slice(-variant.file.length),
});
/** As most builds have it: absolute. */
const otherLength = ({ recipe: { variant } }: CompileRequest): NonNullable<CompileRequest['elsewhere']> => ({
  deps: '/in/another/place',
  variant: `/in/another/place/${variant.stands_for}`,
});

/**
 * Whether the code is another one where, or when, it is compiled elsewhere: then it may do another thing in the app than what is judged here. Code
 * whose instructions differ is refused; data that differs, such as the text of an assert, is told beside the verdict. Only a source that could ask
 * is compiled again, and none that is the app's own: code that is the captured one may be another one there. `outside`: files of the user elsewhere; those of the system have such names for their own ends.
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
  // nvcc and NVRTC have no option that moves a file by name alone.
  if (!isCompiledWithClang(recipe))
    return Object.keys(compiled.sources).some((name) =>
      asksMore(textOf(join(reproducer, name)), textIfThere(join(reproducer, 'pristine', name))),
    );
  const code = readFileSync(request.output);
  const moved = await compiledElsewhere(request, sameLength(request), deps);
  if (!(isSameText(code, moved) ?? isSameMachineCode(recipe.symbol, code, moved)))
    throw refused(files[asking.first] ?? '', reproducer);
  if (asking.when || !isSame(code, moved)) return true;
  return !isSame(code, await compiledElsewhere(request, otherLength(request), deps));
}

function isOfTheApp(reproducer: string, name: string, digest: string): boolean {
  const path = join(reproducer, 'pristine', name);
  return existsSync(path) && sha256OfFile(path) === digest;
}

const isSame = (one: Buffer, other: Buffer): boolean => one.equals(other) || isSameWhenLoaded(one, other);

/** A backslash at the end of a line may stand amid a name. */
const textOf = (file: string): string => readRegularFile(file, 'utf8').replaceAll(/\\\r?\n/g, '');

const textIfThere = (file: string): string => (existsSync(file) ? textOf(file) : '');

async function compiledElsewhere(
  request: CompileRequest,
  elsewhere: NonNullable<CompileRequest['elsewhere']>,
  deps: CompileDeps,
): Promise<Buffer> {
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-elsewhere-'));
  try {
    const output = join(scratch, 'variant.bin');
    await compileReproducer({ ...request, output, elsewhere }, deps);
    return readFileSync(output);
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
