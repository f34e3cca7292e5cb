import type { App } from '../app/app';
import type { Deps } from '../deps/deps';
import { appFailed, type FailedRun } from '../recorder/app-failed';
import type { SummaryEvent } from '../recorder/recorder-events';
import type { LaunchedKernel } from './launched-kernels';
import { observe, timeHint } from './observe';
import type { ProfileOptions } from './options';
import { profileOf, requireNoFault } from './profile';
import type { Profile } from './profile-json';

/** Kernels that a run of an app launched. */
export interface Launched {
  readonly kernels: readonly LaunchedKernel[];
  /** Null if the app failed before every launch was measured: costs cannot be compared then. */
  readonly profile: Profile | null;
  /** The run, if the app failed after these launches. */
  readonly failed: FailedRun | null;
}

/**
 * Runs the app once for the names of what it launches. A run that fails by itself, as by a signal, shows what was
 * launched before. One that passed its time limit, or of which a kernel faulted, is an error.
 */
export async function launchedBy(
  app: App,
  options: Omit<ProfileOptions, 'output' | 'top' | 'launches'>,
  deps: Deps,
): Promise<Launched> {
  const observed = await observe(app, options, deps);
  const { run, summary, fault } = observed;
  const hasFailed = run.appEnd.exitCode !== 0;
  if (hasFailed && (run.appEnd.timedOut || fault !== undefined)) throw appFailed('', run, timeHint);
  requireNoFault(observed);
  if (!hasFailed || isAllMeasured(summary)) {
    const profile = profileOf(observed, { launches: false });
    return { kernels: profile.kernels, profile, failed: hasFailed ? run : null };
  }
  // The last launches before a signal may have no measurement yet. They have names.
  return { kernels: seenIn(summary), profile: null, failed: run };
}

function isAllMeasured(summary: SummaryEvent | undefined): boolean {
  const measured = (summary?.kernel_profile ?? []).reduce((sum, { dispatches }) => sum + dispatches, 0);
  return measured > 0 && measured === summary?.dispatches;
}

const seenIn = (summary: SummaryEvent | undefined): LaunchedKernel[] =>
  (summary?.kernels ?? []).map(({ name, symbol, dispatches }) => ({ name, symbol: symbol ?? name, dispatches }));
