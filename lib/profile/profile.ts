import { resolve } from 'node:path';
import { openApp } from '../app/app';
import { buildApp } from '../app/build';
import { appIdentity } from '../app/identity';
import { findProgram } from '../app/program';
import { record } from '../capture/recorder';
import type { KernelProfileRow, SummaryEvent } from '../capture/recorder-events';
import { openDevice, type DeviceDescription, type WorkUnit } from '../device/device';
import { withDevice } from '../device/lock';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import type { RunResult } from '../support/exec';
import { writeJson } from '../support/files';
import { describeEnd, rebuildHint } from '../support/ndjson';
import { formatCount, table } from '../support/report';
import { version } from '../support/version';
import type { ProfileOptions } from './options';

export interface KernelProfile {
  name: string;
  symbol: string;
  code_object: string;
  dispatches: number;
  /** Part of the app's work, 0 to 1. */
  share: number;
  total: number;
  min: number;
  median: number;
  max: number;
  geometries: { grid_blocks: number[]; block_threads: number[]; dispatches: number }[];
}

/** profile.json */
export interface Profile {
  schema: 'kernloop.profile/1';
  app: string;
  device: Pick<DeviceDescription, 'kind' | 'identity'>;
  /** What shares and statistics are of. */
  work: WorkUnit;
  dispatches: number;
  total: number;
  kernels: KernelProfile[];
}

/** Runs the app once with every dispatch measured, and ranks its kernels. */
export async function profile(options: ProfileOptions, deps: Deps): Promise<Profile> {
  const app = openApp(options.app);
  const device = await openDevice(options, deps);
  if (options.build) await buildApp(app, deps);
  const program = findProgram(app, deps.env);
  const identity = await appIdentity(app, program, device.env, deps);
  let summary: SummaryEvent | undefined;
  const run = (): Promise<RunResult> =>
    record(
      {
        app,
        program,
        device,
        timeLimitSeconds: options.timeLimitSeconds,
        config: {
          mode: 'profile',
          selections: [],
          store: null,
          inline_limit_bytes: 0,
          drain_limit_ms: 10_000,
          run_limit_ms: 60_000,
          tool_version: version,
          app: identity,
          device: device.description,
        },
      },
      (event) => {
        if (event.event === 'summary') summary = event;
      },
      deps,
    );
  const appEnd = await withDevice(device, deps, run);
  if (appEnd.exitCode !== 0) {
    throw new KernloopError(
      'APP_FAILED',
      describeEnd(app.config.command.join(' '), appEnd),
      'make the app run through by itself first',
    );
  }
  const rows = measuredKernels(app.config.name, summary);
  const { kind, identity: deviceIdentity } = device.description;
  const result: Profile = {
    schema: 'kernloop.profile/1',
    app: app.config.name,
    device: { kind, identity: deviceIdentity },
    work: device.work,
    ...rank(rows, device.work),
  };
  writeJson(options.output === undefined ? app.profile : resolve(options.output), result);
  print(result, options.top, deps);
  return result;
}

function measuredKernels(app: string, summary: SummaryEvent | undefined): KernelProfileRow[] {
  if (!summary) throw new KernloopError('NATIVE_FAILED', 'kernloop-recorder ended without a summary', rebuildHint);
  if (summary.processes === 0) {
    throw new KernloopError(
      'NO_AGENT',
      `${app} never loaded the HSA runtime, so no kernel of it could be seen`,
      'check that "command" starts the program that uses the GPU',
    );
  }
  if (summary.dispatches === 0) {
    throw new KernloopError(
      'NO_DISPATCH',
      `${app} launched no kernel (${summary.queues} queues)`,
      'check that the app reaches its kernels with these arguments',
    );
  }
  const rows = summary.kernel_profile ?? [];
  const measured = rows.reduce((sum, { dispatches }) => sum + dispatches, 0);
  if (measured !== summary.dispatches) {
    throw new KernloopError(
      'NATIVE_FAILED',
      `${summary.dispatches} dispatches were seen but ${measured} were measured`,
      rebuildHint,
    );
  }
  return rows;
}

function rank(rows: readonly KernelProfileRow[], work: WorkUnit): Pick<Profile, 'dispatches' | 'total' | 'kernels'> {
  for (const { name, unit } of rows) {
    if (unit === work) continue;
    throw new KernloopError('NATIVE_FAILED', `${name} was measured in ${unit} instead of ${work}`, rebuildHint);
  }
  const total = rows.reduce((sum, row) => sum + row.total, 0);
  const kernels = rows
    .map(({ name, symbol, code_object, dispatches, total: own, min, median, max, geometries }): KernelProfile => {
      const share = total > 0 ? own / total : 0;
      const launches = geometries.map(({ grid_blocks, block_threads, dispatches: count }) => ({
        grid_blocks,
        block_threads,
        dispatches: count,
      }));
      return { name, symbol, code_object, dispatches, share, total: own, min, median, max, geometries: launches };
    })
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  return { dispatches: rows.reduce((sum, row) => sum + row.dispatches, 0), total, kernels };
}

const titles: Readonly<Record<WorkUnit, string>> = { wave_instructions: 'wave-instructions', duration_ns: 'ns' };

function print(result: Profile, top: number, deps: Deps): void {
  const header = ['share', titles[result.work], 'dispatches', 'min', 'median', 'max', 'launch', 'kernel'];
  const rows = result.kernels
    .slice(0, top)
    .map((kernel) => [
      `${(kernel.share * 100).toFixed(1)} %`,
      formatCount(kernel.total),
      formatCount(kernel.dispatches),
      ...[kernel.min, kernel.median, kernel.max].map((value) => formatCount(Math.round(value))),
      describeLaunch(kernel),
      kernel.name,
    ]);
  for (const line of table([header, ...rows])) deps.report.result(line);
  const more = result.kernels.length - top;
  if (more > 0) deps.report.result(`and ${more} more kernels: see profile.json`);
}

function describeLaunch({ geometries }: KernelProfile): string {
  const [first] = geometries;
  if (!first) return '';
  const launch = `${first.grid_blocks.join('×')} × ${first.block_threads.join('×')}`;
  return geometries.length > 1 ? `${launch} and ${geometries.length - 1} more` : launch;
}
