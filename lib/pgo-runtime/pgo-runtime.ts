import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openApp, type App } from '../app/app';
import { findProgram } from '../app/program';
import type { Deps } from '../deps/deps';
import { openDevice } from '../device/open-device';
import { appPgoPaths } from '../pgo-app/layout';
import { runPreloaded } from '../pgo-app/run';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { formatCount, table } from '../support/report';
import { runtimeCompiler } from './compiler';
import { programsIn } from './events';
import type { PgoRuntimeOptions } from './options';
import type { PgoRuntimeResult, RuntimeProgram } from './result';

/** Runs the app as it is, with a library in front of HIPRTC and HIP that chooses the code of each launch. */
export async function pgoRuntime(options: PgoRuntimeOptions, deps: Deps): Promise<PgoRuntimeResult> {
  const app = openApp(options.app);
  const program = findProgram(app, deps.env);
  const { pgoRuntime: library, pgoRuntimeBuilder: builder } = deps.native;
  const missing = [library, builder].find((path) => !existsSync(path));
  if (missing !== undefined) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${missing} not found`,
      'install kernloop once more (in a checkout: `npm run build:native`)',
    );
  }
  const device = await openDevice(options, deps);
  if (device.description.kind === 'cuda') {
    throw new KernloopError(
      'PGO_UNSUPPORTED',
      `${app.config.name} runs on ${device.description.name}: programs that NVRTC compiles are not measured at run time; NVRTC takes no plugin, and clang 22 does not compile what needs NVRTC's own headers`,
      'capture the kernel and use PGO on its reproducer',
    );
  }
  const { runtime: cache } = appPgoPaths(app);
  const events = join(cache, `.run-${process.pid}`);
  const { clang, profdata, ...words } = await runtimeCompiler(app, options, deps);
  const config = join(events, 'config.json');
  try {
    mkdirSync(events, { recursive: true });
    writeJson(config, {
      schema: 'kernloop.pgo-runtime/1',
      ...{ builder, cache, events, mode: options.phase, clang, profdata, ...words, gates: options.gate },
      measure_launches: options.measureLaunches,
      sample_one_in: options.sampleOneIn,
      window: options.window,
      bound: Math.round(options.bound * 100),
      compile_limit_seconds: options.compileLimitSeconds,
    });
    await runPreloaded(
      app,
      { program, library, variables: { KERNLOOP_PGO_RUNTIME: config } },
      device,
      options.timeLimitSeconds,
      'see whether the app runs through by itself; with --phase production nothing is counted',
      deps,
    );
    const { processes, programs } = programsIn(events);
    if (programs.length === 0) {
      throw new KernloopError(
        'PGO_PROFILE_MISSING',
        `${app.config.name} loaded nothing that HIPRTC compiled in this run`,
        'code that the app keeps from earlier runs is not known: empty its own cache; functions of HIP that it looks up with dlsym are not seen. What is compiled with the app is for pgo-app-instrument',
      );
    }
    print(app, programs, deps);
    return { app: app.config.name, cache, processes, programs };
  } finally {
    rmSync(events, { recursive: true, force: true });
  }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function print(app: App, programs: readonly RuntimeProgram[], { report }: Pick<Deps, 'report'>): void {
  const rows = programs.map(({ name, own, counting, production }) => [
    name,
    ...[own, counting, production].map(formatCount),
  ]);
  for (const line of table([['launches', 'own code', 'counting', 'by profile'], ...rows])) report.result(line);
  for (const { name, measured, sampled, refused } of programs) {
    for (const one of measured) {
      const made = one.gate === '' ? 'no code of it' : `code of it: ${one.gate}`;
      report.result(
        `${name}: measured in ${one.launches} launches: profile ${one.profile.slice(0, 8)}${one.known ? ', known before' : ''}, ${made}`,
      );
    }
    const farthest = sampled.reduce((most, { distance }) => Math.max(most, distance), 0);
    const changes = sampled.filter(({ changed }) => changed).length;
    if (sampled.length > 0) {
      report.result(
        `${name}: compared with its profile ${times(sampled.length)}, at most ${farthest.toFixed(2)}% from it; ${changes === 0 ? 'the workload is the measured one' : `the workload changed ${times(changes)}`}`,
      );
    }
    for (const { reason } of refused) report.result(`${name}: runs as ${app.config.name} compiled it: ${reason}`);
  }
}
