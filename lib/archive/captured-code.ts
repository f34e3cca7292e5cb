import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storesFor } from './stores';
import type { Deps } from '../deps/deps';
import { messageOf } from '../support/error';

/** Code object of the captured kernel, or the reason why it could not be read. */
export async function readCapturedCode(
  captureFolder: string,
  deps: Pick<Deps, 'run' | 'env' | 'native'>,
): Promise<Buffer | string> {
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-code-'));
  const output = join(scratch, 'code');
  try {
    const stores = storesFor(captureFolder, deps.env).flatMap((store) => ['--store', store]);
    const args = ['code-object', captureFolder, ...stores, '--output', output];
    const ended = await deps.run(deps.native.archive, args).result;
    if (ended.exitCode === 0) return readFileSync(output);
    return errorIn(ended.stdoutTail) ?? ended.startError ?? ended.stderrTail.trim();
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function errorIn(output: string): string | null {
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(output)?.[1] ?? null;
}
