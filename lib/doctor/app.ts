import { existsSync } from 'node:fs';
import { openApp, type App } from '../app/app';
import { compileDatabaseOf } from '../app/compile-database';
import { launchObstacles } from '../app/launch';
import { findProgram } from '../app/program';
import { agentEnvironment } from '../device/agent';
import { openDevice } from '../device/open-device';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import type { Check } from './check';

const lasting = {
  APP_STATIC: 'app: program',
  APP_ENVIRONMENT_DROPPED: 'app: environment',
  RUNTIME_OTHER: 'app: runtime',
} as const;

/** Checks whether the capture agent would be loaded into an app, without running it. */
export async function appChecks(folder: string, deps: Deps): Promise<Check[]> {
  const app = openApp(folder);
  try {
    const program = findProgram(app, deps.env);
    const device = await openDevice(
      { device: app.config.device ?? 'softgpu', softgpu: 'gfx90a', gpu: undefined },
      deps,
    );
    agentEnvironment(device, program, { ...deps.env, ...app.config.env, ...device.env });
    const obstacles = await launchObstacles(app, program, device, deps);
    const checks = Object.entries(lasting).map(([code, name]): Check => {
      const found = obstacles.filter((obstacle) => obstacle.code === code);
      if (found.length === 0)
        return { name, state: 'ok', detail: fine[name](program, device.agent.variable), hint: '' };
      return { name, state: 'missing', detail: found.map(({ what }) => what).join('; '), hint: found[0]?.hint ?? '' };
    });
    return [...checks, databaseCheck(app)];
  } catch (error) {
    if (!(error instanceof KernloopError) || error.exitCode === exitCodes.interrupted) throw error;
    return [{ name: 'app', state: 'missing', detail: error.what, hint: error.hint }];
  }
}

/** Without a compile database, kernels are compiled without the options of the app. */
function databaseCheck(app: App): Check {
  const name = 'app: compile database';
  const path = compileDatabaseOf(app);
  if (path !== undefined && existsSync(path)) return { name, state: 'ok', detail: path, hint: '' };
  const hint = 'watch the build once: `kernloop watch-build -- make`, or what else builds it';
  const missing = path === undefined ? 'none' : `${path} does not exist`;
  return {
    name,
    state: 'optional',
    detail: `${missing}; its sources are compiled with default options: ${hint}`,
    hint,
  };
}

const fine = {
  'app: program': (program: string) => `${program}, into which libraries can be loaded`,
  'app: environment': (_program: string, variable: string) =>
    `nothing seen that would drop ${variable} on the way to the program`,
  'app: runtime': () => "the chosen device's, as far as the program itself shows",
} as const;
