import type { CompileResult } from '../toolchain/compile';
import type { CompileRequest } from '../toolchain/compile-request';
import type { CompileDeps } from '../toolchain/run-compiler';
import { SystemFolders } from '../toolchain/system-folders';
import { dependsOnPlace } from './place-dependence';
import { refuseReproducerFiles } from './reproducer-files';

/**
 * Refuses a source that would be another program in the app than what is judged here: by a file that only a reproducer
 * has, or by its own path. Returns whether data of the code, such as the text of an assert, changes with the path.
 */
export async function requireSameInApp(
  request: CompileRequest,
  compiled: CompileResult,
  deps: CompileDeps,
): Promise<boolean> {
  refuseReproducerFiles(request.reproducer, Object.keys(compiled.sources));
  const system = new SystemFolders([request.compiler.path], deps.env);
  const outside = compiled.outside.filter((path) => !system.contain(path));
  return dependsOnPlace(request, { ...compiled, outside }, deps);
}
