import type { App } from '../app/app';
import type { Deps } from '../deps/deps';
import { appFailed, type FailedRun } from '../recorder/app-failed';
import type { SummaryEvent } from '../recorder/recorder-events';
import type { LaunchedKernel } from './launched-kernels';
import type { KernloopError } from '../support/error';
import { observe, timeHint } from './observe';
import type { ProfileOptions } from './options';
import { faultOf, isAllMeasured, profileOf } from './profile';
import type { Profile } from './profile-json';

/** Kernels that a run of an app launched. */
export interface Launched {
  readonly kernels: readonly LaunchedKernel[];
  /** Null if the app failed before every launch was measured: costs cannot be compared then. */
  readonly profile: Profile | null;
  /** The run, if the app failed, or a kernel of it faulted, after these launches. */
  readonly failed: FailedRun | null;
  /** Error of the kernel that faulted, with its symbol if the device names it; null without a fault. */
  readonly fault: { readonly symbol: string | null; readonly error: KernloopError } | null;
}

/**
 * Runs the app once for the names of what it launches. A run that fails by itself, as by a signal, or of which a kernel
 * faulted, shows what was launched before. One that passed its time limit is an error.
 */
export async function launchedBy(
  app: App,
  options: Omit<ProfileOptions, 'output' | 'top' | 'launches'>,
  deps: Deps,
): Promise<Launched> {
  const observed = await observe(app, options, deps);
  const { run, summary, fault } = observed;
  const hasFailed = run.appEnd.exitCode !== 0;
  if (run.appEnd.timedOut) throw appFailed('', run, timeHint);
  if (fault) {
    const [, symbol = null] = / in kernel (\S+)/.exec(`${fault.text}\n${run.appEnd.stderrTail}`) ?? [];
    const error = hasFailed ? appFailed('', run, timeHint) : faultOf(run, fault);
    return { kernels: seenIn(summary), profile: null, failed: run, fault: { symbol, error } };
  }
  if (!hasFailed || isAllMeasured(summary)) {
    const profile = profileOf(observed, { launches: false });
    return { kernels: profile.kernels, profile, failed: hasFailed ? run : null, fault: null };
  }
  // The last launches before a signal may have no measurement yet. They have names.
  return { kernels: seenIn(summary), profile: null, failed: run, fault: null };
}

const seenIn = (summary: SummaryEvent | undefined): LaunchedKernel[] =>
  (summary?.kernels ?? []).map(({ name, symbol, dispatches }) => ({ name, symbol: symbol ?? name, dispatches }));
