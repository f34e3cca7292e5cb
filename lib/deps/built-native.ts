import type { NativeProduct } from '../native/native-paths';
import { isLeftOut, restBuilder, restInWords } from '../native/rest';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd } from '../support/ndjson';
import type { Deps } from './deps';

type AskingDeps = Pick<Deps, 'native' | 'run' | 'report' | 'clock' | 'signal'>;

/** Path of a product that a checkout may not have built yet: the first request builds all of them. */
export async function builtNative(product: NativeProduct, deps: AskingDeps): Promise<string> {
  if (isLeftOut(deps.native)) await buildRest(deps);
  return deps.native[product];
}

async function buildRest({ native, run, report, clock, signal }: AskingDeps): Promise<void> {
  const started = clock.monotonicMs();
  report.info(`building the native programs for ${restInWords}, once in this checkout: a minute or more of CPU`);
  const ended = await run(process.execPath, [restBuilder(native) ?? '', 'rest']).result;
  throwIfInterrupted(signal);
  if (ended.exitCode !== 0) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `the native programs for ${restInWords} cannot be built:\n${describeEnd('tools/native.mjs rest', ended)}\n${lastLines(ended.stdoutTail)}`,
      'install what is missing (Debian: apt-get install g++ cmake ninja-build), then run `npm run build:native` in the checkout',
    );
  }
  const seconds = Math.round((clock.monotonicMs() - started) / 1000);
  report.info(`built the native programs for ${restInWords} in ${seconds} s`);
}

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-20).join('\n');
