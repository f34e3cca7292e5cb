import { spawnSync } from 'node:child_process';
import { findNative } from '../native/native-paths';
import type { FakeProgram } from './fake-deps';

/** The kernloop-archive of this checkout, for `describe`: a spec that uses it starts a program. */
export const realArchive: FakeProgram = async ({ args, options: { input }, print }) => {
  if (args[0] !== 'describe' || input?.kind !== 'stream') return 2;
  const chunks: Buffer[] = [];
  for await (const chunk of input.open()) chunks.push(chunk as Buffer);
  const { stdout, status } = spawnSync(findNative(process.env).archive, ['describe'], { input: Buffer.concat(chunks) });
  print(JSON.parse(String(stdout)) as object);
  return status ?? 1;
};
