import { resolve } from 'node:path';
import { openApp } from '../app/app';
import { buildApp } from '../app/build';
import { appIdentity } from '../app/identity';
import { findProgram } from '../app/program';
import { record } from '../capture/recorder';
import type { DispatchEvent, SummaryEvent } from '../capture/recorder-events';
import { openDevice, type DeviceDescription, type WorkUnit } from '../device/device';
import { statistics } from '../replay/statistics';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { describeEnd, rebuildHint } from '../support/ndjson';
import { formatCount, table } from '../support/report';
import { version } from '../support/version';
import type { ProfileOptions } from './options';

export interface KernelProfile {
  name: string;
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
  const device = openDevice(options, deps);
  if (options.build) await buildApp(app, deps);
  const program = findProgram(app, deps.env);
  const identity = await appIdentity(app, program, device.env, deps);
  const dispatches = new Dispatches(device.work);
  let summary: SummaryEvent | undefined;
  const appEnd = await record(
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
      if (event.event === 'dispatch') dispatches.add(event);
      if (event.event === 'summary') summary = event;
    },
    deps,
  );
  if (appEnd.exitCode !== 0) {
    throw new KernloopError(
      'APP_FAILED',
      describeEnd(app.config.command.join(' '), appEnd),
      'make the app run through by itself first',
    );
  }
  requireDispatches(app.config.name, dispatches, summary);
  const { kind, identity: deviceIdentity } = device.description;
  const result = dispatches.profile(app.config.name, { kind, identity: deviceIdentity });
  writeJson(options.output === undefined ? app.profile : resolve(options.output), result);
  print(result, options.top, deps);
  return result;
}

function requireDispatches(app: string, dispatches: Dispatches, summary: SummaryEvent | undefined): void {
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
  if (dispatches.count !== summary.dispatches) {
    throw new KernloopError(
      'NATIVE_FAILED',
      `${summary.dispatches} dispatches were seen but ${dispatches.count} were measured`,
      rebuildHint,
    );
  }
}

class Dispatches {
  count = 0;
  private readonly kernels = new Map<
    string,
    { name: string; codeObject: string; samples: number[]; geometries: Map<string, number> }
  >();

  constructor(private readonly work: WorkUnit) {}

  add(event: DispatchEvent): void {
    const sample = event[this.work];
    if (sample === null || sample === undefined) {
      throw new KernloopError('NATIVE_FAILED', `a dispatch of ${event.kernel} came without ${this.work}`, rebuildHint);
    }
    this.count += 1;
    const key = `${event.code_object} ${event.symbol ?? event.kernel}`;
    const kernel = this.kernels.get(key) ?? {
      name: event.kernel,
      codeObject: event.code_object,
      samples: [],
      geometries: new Map<string, number>(),
    };
    this.kernels.set(key, kernel);
    kernel.samples.push(sample);
    const geometry = JSON.stringify([event.geometry.grid_blocks, event.geometry.block_threads]);
    kernel.geometries.set(geometry, (kernel.geometries.get(geometry) ?? 0) + 1);
  }

  profile(app: string, device: Profile['device']): Profile {
    const kernels = [...this.kernels.values()].map(({ name, codeObject, samples, geometries }) => {
      const { min, median, max } = statistics(samples);
      const sum = samples.reduce((a, b) => a + b, 0);
      return {
        name,
        code_object: codeObject,
        dispatches: samples.length,
        share: 0,
        total: sum,
        min,
        median,
        max,
        geometries: describeGeometries(geometries),
      };
    });
    const total = kernels.reduce((sum, kernel) => sum + kernel.total, 0);
    return {
      schema: 'kernloop.profile/1',
      app,
      device,
      work: this.work,
      dispatches: this.count,
      total,
      kernels: kernels
        .map((kernel) => ({ ...kernel, share: total > 0 ? kernel.total / total : 0 }))
        .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name)),
    };
  }
}

function describeGeometries(geometries: ReadonlyMap<string, number>): KernelProfile['geometries'] {
  return [...geometries]
    .map(([key, dispatches]) => {
      const [grid, block] = JSON.parse(key) as [number[], number[]];
      return { grid_blocks: grid, block_threads: block, dispatches };
    })
    .sort((a, b) => b.dispatches - a.dispatches);
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
