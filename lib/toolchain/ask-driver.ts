import { throwIfInterrupted } from '../support/interrupted';
import type { CompileRequest } from './compile-request';
import { compilerEnvironment } from './compiler-environment';
import { driverCommands } from './driver-commands';
import type { CompileDeps } from './run-compiler';
import { runDriver } from './run-driver';

/**
 * Returns the commands that the driver would run; null if it does not print them. They depend on the machine's headers,
 * libraries and linkers, so clang is asked every time.
 */
export async function askDriver(
  { compiler, recipe, reproducer: cwd, limitSeconds }: CompileRequest,
  driverArguments: readonly string[],
  deps: CompileDeps,
): Promise<string[][] | null> {
  let printed = '';
  const onStderr = (chunk: string): void => void (printed += chunk);
  const options = { cwd, env: compilerEnvironment(recipe.environment), timeoutMs: limitSeconds * 1000, onStderr };
  const ended = await runDriver(compiler.path, [...driverArguments, '-###'], options, deps);
  throwIfInterrupted(deps.signal);
  return ended.exitCode === 0 ? driverCommands(printed) : null;
}
