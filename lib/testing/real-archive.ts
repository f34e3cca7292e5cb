import { spawnSync } from 'node:child_process';
import { findNative } from '../native/native-paths';
import type { RunOptions } from '../support/exec';

interface ArchiveCall {
  args: readonly string[];
  options: RunOptions;
  print: (event: object | string) => void;
}

/** The kernloop-archive of this checkout, for `describe`; it is started only for what may be a code object. */
export async function realArchive({ args, options: { input }, print }: ArchiveCall): Promise<number> {
  if (input?.kind !== 'stream') return 2;
  const chunks: Buffer[] = [];
  for await (const chunk of input.open()) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (bytes.toString('latin1', 1, 4) !== 'ELF') {
    print({ event: 'error', code: 'CODE_OBJECT_INVALID', message: 'no ELF', hint: '' });
    return 2;
  }
  const { stdout, status } = spawnSync(findNative(process.env).archive, args, { input: bytes });
  for (const line of String(stdout).trimEnd().split('\n')) print(line);
  return status ?? 1;
}
