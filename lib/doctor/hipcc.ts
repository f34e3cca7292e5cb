import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { pathFolders, programsIn } from '../support/programs';
import { compilerCandidates, compilerVersion } from '../toolchain/find-compiler';
import { howToGet } from '../toolchain/get-program';
import type { Check } from './check';

const name = 'hipcc';

/** Looks for hipcc where recompile looks, and says where it is. */
export async function hipccCheck(deps: Deps): Promise<Check> {
  const purpose = 'rebuilds HIP kernels (recompile)';
  const named = deps.env['KERNLOOP_COMPILER'];
  const [path] = compilerCandidates(name, deps.env);
  if (path === undefined) {
    if (named) {
      const hint = 'name an executable file with KERNLOOP_COMPILER, or unset it';
      return { name, state: 'missing', detail: `KERNLOOP_COMPILER is ${named}, which is no executable file`, hint };
    }
    const hint = howToGet(name, deps.env);
    return { name, state: 'optional', detail: `not found; ${purpose}: ${hint}`, hint };
  }
  try {
    const version = await compilerVersion(path, deps);
    return { name, state: 'ok', detail: [path + placeWords(deps), version].filter(Boolean).join('; '), hint: '' };
  } catch (error) {
    if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
    return { name, state: 'missing', detail: error.what, hint: error.hint };
  }
}

/** Adds how it was found: builds start only what is on the PATH. */
function placeWords({ env }: Pick<Deps, 'env'>): string {
  if (env['KERNLOOP_COMPILER']) return ' (named by KERNLOOP_COMPILER)';
  const isOnPath = programsIn(pathFolders(env['PATH']), name).length > 0;
  return isOnPath ? '' : ' (recompile finds it there; it is not on the PATH, so that a build may not)';
}
