import { basename, dirname } from 'node:path';
import type { App } from '../../app/app';
import { inputOf } from '../../app/input';
import { appVariables } from '../../app/variables';
import type { Device } from '../../device/device';
import { withDevice } from '../../device/lock';
import type { Deps } from '../../deps/deps';
import { KernloopError } from '../../support/error';
import { throwIfInterrupted } from '../../support/interrupted';
import { describeEnd } from '../../support/ndjson';

/** Runs a program like the app, with a library preloaded before all others. */
export async function runPreloaded(
  app: App,
  { program, library, variables }: { program: string; library: string; variables: Readonly<Record<string, string>> },
  device: Device,
  timeLimitSeconds: number,
  hint: string,
  deps: Deps,
): Promise<void> {
  const own = appVariables(app, device, deps);
  const list = (name: string, first: string): string =>
    [first, own[name] ?? deps.env[name] ?? ''].filter((part) => part !== '').join(':');
  const [, ...args] = app.config.command;
  const input = inputOf(app, deps);
  const output = (chunk: string): void => deps.report.output(chunk);
  const run = () =>
    deps.run(program, args, {
      cwd: app.cwd,
      env: {
        ...own,
        // LD_PRELOAD has the name only, which LD_LIBRARY_PATH resolves: the separators of LD_PRELOAD cannot be escaped.
        LD_LIBRARY_PATH: list('LD_LIBRARY_PATH', dirname(library)),
        LD_PRELOAD: list('LD_PRELOAD', basename(library)),
        ...variables,
      },
      ...(input ? { input } : {}),
      onStdout: output,
      onStderr: output,
      ...(timeLimitSeconds > 0 ? { timeoutMs: timeLimitSeconds * 1000 } : {}),
    }).result;
  const ended = await withDevice(device, deps, run);
  throwIfInterrupted(deps.signal);
  if (ended.exitCode === 0) return;
  throw new KernloopError('APP_FAILED', describeEnd(program, ended), hint);
}
