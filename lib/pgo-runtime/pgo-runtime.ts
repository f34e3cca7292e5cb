import { openApp, type App } from '../app/app';
import { findProgram } from '../app/program';
import type { Deps } from '../deps/deps';
import { openDevice } from '../device/open-device';
import { appPgoPaths } from '../pgo/layout';
import { runPreloaded } from '../pgo/app/run';
import { KernloopError } from '../support/error';
import { formatCount, table } from '../support/report';
import { buildWhatIsMissing } from './build';
import { runtimeCompiler } from './compiler';
import { gatesFor, requireNative, withConfig } from './config';
import { programsIn } from './events';
import type { PgoRuntimeOptions } from './options';
import type { PgoRuntimeResult, RuntimeProgram } from './result';

/**
 * Runs the unchanged app with a library in front of HIPRTC and HIP, or NVRTC and the CUDA driver, that chooses the code
 * of each launch.
 */
export async function pgoRuntime(options: PgoRuntimeOptions, deps: Deps): Promise<PgoRuntimeResult> {
  const app = openApp(options.app);
  if (options.phase === 'build') return await buildWhatIsMissing(app, options, deps);
  const program = findProgram(app, deps.env);
  const device = await openDevice(options, deps);
  const isCuda = device.description.kind === 'cuda';
  const library = await requireNative(isCuda ? 'pgoRuntimeCuda' : 'pgoRuntime', deps);
  const compiler = await runtimeCompiler(app, options, isCuda, deps);
  return await withConfig(
    app,
    options,
    { ...compiler, gates: gatesFor(isCuda, options) },
    deps,
    async (config, events) => {
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
          `${app.config.name} loaded nothing that ${isCuda ? 'NVRTC' : 'HIPRTC'} compiled in this run`,
          isCuda
            ? 'empty the cache that the app keeps of its code. What it links (nvJitLink) or loads as a library (cuLibraryLoadData) is not seen; what nvcc compiles is for `kernloop pgo-instrument --app`'
            : 'empty the cache that the app keeps of its code. Programs that HIPRTC links, and bitcode, are not seen; what is compiled with the app is for `kernloop pgo-instrument --app`',
        );
      }
      print(app, programs, options.phase, deps);
      return { app: app.config.name, cache: appPgoPaths(app.root).runtime, processes, programs, built: [] };
    },
  );
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function print(
  app: App,
  programs: readonly RuntimeProgram[],
  phase: PgoRuntimeOptions['phase'],
  { report }: Pick<Deps, 'report'>,
): void {
  const rows = programs.map(({ name, own, counting, production }) => [
    name,
    ...[own, counting, production].map(formatCount),
  ]);
  for (const line of table([['launches', 'own code', 'counting', 'by profile'], ...rows])) report.result(line);
  for (const { name, profile, measured, sampled, refused } of programs) {
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
    if (phase === 'production' && profile === null && refused.length === 0) {
      report.result(
        `${name}: runs as ${app.config.name} compiled it: no profile is in use, as nothing was measured yet, or the workload had changed when the last run ended; run pgo-runtime without --phase production`,
      );
    }
    for (const { reason } of refused) report.result(`${name}: runs as ${app.config.name} compiled it: ${reason}`);
  }
}
