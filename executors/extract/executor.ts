import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ExecutorContext } from '@nx/devkit';
import { openApp, type App } from '../../lib/app/app';
import { adopt } from '../../lib/extract/adopt';
import { configure } from '../../lib/stages/configure';
import { stages } from '../../lib/stages/registry';
import { defaultDeps, type Deps } from '../../lib/deps/deps';
import { KernloopError } from '../../lib/support/error';
import { throwIfInterrupted } from '../../lib/support/interrupt';
import { absoluteOptions, reportingErrors, type TaskOptions } from '../run-stage';
import { extractTaskOptionsSchema } from './options';

/**
 * Capture and generate are cached tasks; adopting what they give is not, because it writes files that a user may edit.
 * They run through Nx from here rather than as dependencies, so that `--kernel` runs those of one kernel only.
 */
export default function extract(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return reportingErrors(() => extractKernels(options, context, defaultDeps()));
}

export async function extractKernels(
  options: TaskOptions,
  context: Pick<ExecutorContext, 'root' | 'projectName'>,
  deps: Deps,
): Promise<boolean> {
  const { values } = configure(
    { ...stages.extract, schema: extractTaskOptionsSchema },
    absoluteOptions(options, context.root),
    deps.env,
  );
  const app = openApp(values.app);
  const kernels = selected(app, values.kernel);
  const targets = kernels.map((kernel) => `generate-${kernel}`).join(',');
  const output = (chunk: string): void => deps.report.output(chunk);
  const nx = deps.run(
    process.execPath,
    [
      nxProgram(context.root),
      'run-many',
      `--targets=${targets}`,
      `--projects=${context.projectName ?? app.config.name}`,
      '--outputStyle=static',
    ],
    {
      cwd: context.root,
      env: { NX_TUI: 'false', FORCE_COLOR: deps.env['FORCE_COLOR'] },
      onStdout: output,
      onStderr: output,
    },
  );
  const ended = await nx.result;
  throwIfInterrupted(deps.signal);
  if (ended.exitCode !== 0) return false;
  for (const kernel of kernels) await adopt({ reproducer: app.reproducer(kernel), reset: values.reset }, deps);
  return true;
}

function selected(app: App, named: readonly string[]): string[] {
  const kernels = named.length > 0 ? [...new Set(named)] : app.config.kernels.map(({ name }) => name);
  for (const kernel of kernels) app.kernel(kernel);
  if (kernels.length > 0) return kernels;
  throw new KernloopError(
    'KERNEL_UNKNOWN',
    `${app.config.name} declares no kernel`,
    'add one to "kernels" of kernloop.json; `kernloop profile` lists what the app launches',
  );
}

/** Nx exports its package.json but not its program. */
function nxProgram(workspaceRoot: string): string {
  const manifest = createRequire(join(workspaceRoot, 'package.json')).resolve('nx/package.json');
  const { bin } = createRequire(manifest)(manifest) as { bin: { nx: string } };
  return join(dirname(manifest), bin.nx);
}
