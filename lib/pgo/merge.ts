import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { partialOf } from '../support/leftovers';
import { describeEnd } from '../support/ndjson';
import { runPgo, type MergedEvent } from './pgo-program';

export interface MergeRequest {
  inputs: readonly { file: string; weight: number }[];
  /** Architecture of the merged profile; if empty, that of the inputs. */
  arch: string;
  mixedSampling: boolean;
  /** Absolute path of the profile for an architecture. */
  profdataOf: (arch: string) => string;
  /** Absolute path of the side file. */
  waves: string;
  /** llvm-profdata of LLVM 22. */
  profdataProgram: string;
}

/** Merges profiles: kernloop-pgo sums them, with data that LLVM cannot hold; llvm-profdata writes LLVM's profile. */
export async function mergeProfiles(
  request: MergeRequest,
  deps: Deps,
): Promise<{ merged: MergedEvent; profdata: string; notes: string[] }> {
  const scratch = partialOf(join(dirname(request.waves), '.merge'));
  const [text, indexed, waves] = ['text.proftext', 'indexed.profdata', 'waves.json'].map((name) =>
    join(scratch, name),
  ) as [string, string, string];
  try {
    mkdirSync(scratch, { recursive: true });
    const events = await runPgo(
      [
        'merge',
        ...request.inputs.flatMap(({ file, weight }) => ['--weighted-input', `${weight},${file}`]),
        ...['--output', text, '--waves', waves],
        ...(request.arch === '' ? [] : ['--arch', request.arch]),
        ...(request.mixedSampling ? ['--mixed-sampling'] : []),
      ],
      deps,
    );
    const merged = events.find((event) => event.event === 'merged');
    if (!merged)
      throw new KernloopError('NATIVE_FAILED', 'kernloop-pgo merged nothing, and did not say why', 'report it');
    await index(request.profdataProgram, text, indexed, deps);
    const profdata = request.profdataOf(merged.arch);
    renameSync(indexed, profdata);
    renameSync(waves, request.waves);
    return { merged, profdata, notes: events.flatMap((event) => (event.event === 'note' ? [event.text] : [])) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function index(program: string, text: string, output: string, deps: Deps): Promise<void> {
  const ended = await deps.run(program, ['merge', '--failure-mode=any', '-o', output, text]).result;
  throwIfInterrupted(deps.signal);
  if (ended.exitCode === 0) return;
  throw new KernloopError(
    'NATIVE_FAILED',
    describeEnd('llvm-profdata', ended),
    'check that llvm-profdata is of LLVM 22 (`kernloop doctor`); if it is, report it with the text above',
  );
}
