import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import type { Confine } from './judge-candidate';
import type { JudgeSettings } from './options';

/** How candidates are compiled; null for no sandbox, which only `--unsandboxed` allows. */
export async function confinement({ unsandboxed }: JudgeSettings, deps: Deps): Promise<Confine | null> {
  if (unsandboxed) return null;
  await Promise.resolve(deps);
  throw new KernloopError('USAGE', 'no sandbox yet', '--unsandboxed');
}
