import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Deps } from '../../deps/deps';
import type { ProfileInput } from '../profile-inputs';
import { KernloopError } from '../../support/error';
import { throwIfInterrupted } from '../../support/interrupted';
import { describeEnd } from '../../support/ndjson';
import { llvmMajor, type Llvm } from '../../toolchain/find-llvm';

/**
 * Runtime that clang links into a program that counts its host code, from the package `libclang-rt-22-dev`. Without it
 * only device code is counted.
 */
export function hostRuntime({ clang }: Pick<Llvm, 'clang'>): string | null {
  const folder = join(dirname(realpathSync(clang)), '..', 'lib', 'clang', String(llvmMajor), 'lib');
  if (!existsSync(folder)) return null;
  const found = readdirSync(folder).flatMap((system) =>
    readdirSync(join(folder, system))
      .filter((name) => /^libclang_rt\.profile(-x86_64)?\.a$/.test(name))
      .map((name) => join(folder, system, name)),
  );
  return found.find((file) => file.includes('x86_64')) ?? null;
}

/** Stock clang's instrumentation of host code, with atomic updates so that threads do not lose each other's counts. */
export const hostGenerate = ['-Xarch_host', '-fprofile-generate', '-Xarch_host', '-fprofile-update=atomic'];

export const hostUse = (profile: string): string[] => ['-Xarch_host', `-fprofile-use=${profile}`];

/** Merges with LLVM's own program alone: host profiles have no accompanying files. */
export async function mergeHostProfiles(
  inputs: readonly ProfileInput[],
  output: string,
  profdataProgram: string,
  deps: Deps,
): Promise<void> {
  const weighted = inputs.map(({ file, weight }) => `-weighted-input=${weight},${file}`);
  const ended = await deps.run(profdataProgram, ['merge', '--failure-mode=any', ...weighted, '-o', output]).result;
  throwIfInterrupted(deps.signal);
  if (ended.exitCode === 0) return;
  throw new KernloopError(
    'PGO_PROFILE_INVALID',
    `the host's half of the profile cannot be merged: ${describeEnd('llvm-profdata', ended)}`,
    'run `kernloop pgo-instrument --app` and `kernloop pgo-generate --app` once more',
  );
}
