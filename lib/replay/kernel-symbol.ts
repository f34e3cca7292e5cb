import { KernloopError } from '../support/error';
import type { Described } from '../toolchain/described-code';
import { withoutModuleId } from '../toolchain/module-id';

/**
 * Name of the captured kernel in a code object of the user's: the captured name, or in a cubin a name that differs only
 * in the id that nvcc derives from the source's path. The replay refuses files that are no code object.
 */
export function symbolIn(path: string, code: Described | null, captured: string): string {
  const symbols = code?.kernels.map(({ symbol }) => symbol);
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
