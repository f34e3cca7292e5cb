import { KernloopError } from '../support/error';
import { codeObjectKernels } from '../toolchain/code-object-kernels';
import { withoutModuleId } from '../toolchain/module-id';
import { readRegularFile } from '../support/regular-file';

/**
 * The name that the captured kernel has in a code object that the user made: the captured one, or in a cubin the one that only differs
 * in the id that nvcc derives from the place of the source. What is no code object is left to the replay to refuse.
 */
export function symbolIn(path: string, captured: string): string {
  const symbols = codeObjectKernels(readRegularFile(path))?.map(({ symbol }) => symbol);
  if (!symbols || symbols.includes(captured)) return captured;
  const wanted = withoutModuleId(captured);
  const matching = symbols.filter((symbol) => withoutModuleId(symbol) === wanted);
  if (matching.length <= 1) return matching[0] ?? captured;
  throw new KernloopError(
    'SYMBOL_MISSING',
    `${path} has no ${captured}, but ${matching.length} kernels of that name from different translation units: ${matching.join(', ')}`,
    'build the code object from one translation unit, or recompile with `kernloop recompile`, which keeps the names',
  );
}
