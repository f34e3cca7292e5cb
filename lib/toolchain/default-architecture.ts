import type { Deps } from '../deps/deps';
import type { CompileArgument } from './compile-arguments';
import { nvccEnvironment } from './compiler-environment';

const limitMs = 60_000;

/** Default architecture of this nvcc (`sm_75` in CUDA 13), from what it would define for the device pass. */
export async function defaultArchitecture(nvcc: string, deps: Pick<Deps, 'run'>): Promise<string | null> {
  const args = ['--dryrun', '-E', '-x', 'cu', '/dev/null'];
  const { stdoutTail, stderrTail } = await deps.run(nvcc, args, { env: nvccEnvironment(), timeoutMs: limitMs }).result;
  const defined = /-D__CUDA_ARCH__=(\d+)0\b/.exec(stderrTail + stdoutTail)?.[1];
  return defined === undefined ? null : `sm_${defined}`;
}

/** Adds the default architecture explicitly, so that code which the driver compiled from its PTX is recognised. */
export function withArchitecture(args: readonly CompileArgument[], architecture: string | null): CompileArgument[] {
  if (architecture === null) return [...args];
  return [...args, { option: '-arch=', value: architecture, kind: 'arch', separate: false }];
}
