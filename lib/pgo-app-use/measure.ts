import type { App } from '../app/app';
import { appIdentity } from '../app/identity';
import { appVariables } from '../app/variables';
import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import { record } from '../recorder/recorder';
import { profiling } from '../recorder/recorder-config';
import type { SummaryEvent } from '../recorder/recorder-events';
import { sha256 } from '../support/files';
import type { AppBuildResult } from './result';

export interface AppRun {
  exitCode: number | null;
  /** Of what it wrote. */
  output: string;
  kernels: AppBuildResult['kernels'];
}

/** One run of a program in the place of the app's, with every dispatch counted. */
export async function measureProgram(
  app: App,
  program: string,
  device: Device,
  timeLimitSeconds: number,
  deps: Deps,
): Promise<AppRun> {
  const identity = await appIdentity(app, program, appVariables(app, device, deps), deps);
  let summary: SummaryEvent | undefined;
  let said = '';
  const listening: Deps = {
    ...deps,
    native: deps.native,
    report: { ...deps.report, output: (chunk) => (said += chunk) },
  };
  const ended = await record(
    {
      ...{ app, program, device, timeLimitSeconds, lingerSeconds: 10 },
      config: profiling(identity, device.description),
    },
    (event) => {
      if (event.event === 'summary') summary = event;
    },
    listening,
  );
  const kernels = (summary?.kernel_profile ?? []).map(({ name, symbol, dispatches, total }) => ({
    ...{ name, symbol, dispatches, total },
  }));
  return { exitCode: ended.exitCode, output: sha256(said), kernels };
}
