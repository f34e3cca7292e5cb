import { createHash } from 'node:crypto';
import type { App } from '../app/app';
import { appIdentity } from '../app/identity';
import { appVariables } from '../app/variables';
import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import { record } from '../recorder/recorder';
import { profiling } from '../recorder/recorder-config';
import type { SummaryEvent } from '../recorder/recorder-events';
import type { AppBuildResult } from './result';

export interface AppRun {
  exitCode: number | null;
  /** Digests of its stdout and stderr. */
  output: string;
  kernels: AppBuildResult['kernels'];
}

/** Medians over several runs, and the least and greatest total of all kernels. */
export function summed(runs: readonly AppRun[]): Pick<AppBuildResult, 'kernels' | 'total' | 'least' | 'most'> {
  const totals = runs.map(({ kernels }) => kernels.reduce((sum, { total }) => sum + total, 0));
  const [first] = runs;
  const totalOf = (run: AppRun, symbol: string): number =>
    run.kernels.filter((kernel) => kernel.symbol === symbol).reduce((sum, { total }) => sum + total, 0);
  const kernels = (first?.kernels ?? []).map((kernel) => ({
    ...kernel,
    total: median(runs.map((run) => totalOf(run, kernel.symbol))),
  }));
  return { kernels, total: median(totals), least: Math.min(...totals), most: Math.max(...totals) };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Runs a program in place of the app's and counts every dispatch. */
export async function measureProgram(
  app: App,
  program: string,
  device: Device,
  timeLimitSeconds: number,
  deps: Deps,
): Promise<AppRun> {
  const identity = await appIdentity(app, program, appVariables(app, device, deps), deps);
  let summary: SummaryEvent | undefined;
  const said = { stdout: createHash('sha256'), stderr: createHash('sha256') };
  const listening: Deps = {
    ...deps,
    native: deps.native,
    report: { ...deps.report, output: () => undefined },
  };
  const ended = await record(
    {
      ...{ app, program, device, timeLimitSeconds, lingerSeconds: 10 },
      config: profiling(identity, device.description),
      onOutput: (stream, chunk) => void said[stream].update(chunk),
    },
    (event) => {
      if (event.event === 'summary') summary = event;
    },
    listening,
  );
  const kernels = (summary?.kernel_profile ?? []).map(({ name, symbol, dispatches, total }) => ({
    ...{ name, symbol, dispatches, total },
  }));
  return { exitCode: ended.exitCode, output: `${said.stdout.digest('hex')} ${said.stderr.digest('hex')}`, kernels };
}
