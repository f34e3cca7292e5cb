import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { ExecutorContext } from '@nx/devkit';
import { openApp } from '../lib/app/app';
import { candidateFiles } from '../lib/reproducer/known-variants';
import { openReproducer } from '../lib/reproducer/reproducer';
import { commandFile, commandVariable } from '../lib/stage/command-inputs';
import type { Deps } from '../lib/deps/deps';
import type { Stage } from '../lib/stage/stage';
import { KernloopError } from '../lib/support/error';
import type { Environment } from '../lib/support/environment';
import type { ReadOnce } from '../lib/support/read-once';
import { environmentName } from '../lib/support/option-variables';

type Values = Readonly<Record<string, unknown>>;
export type TaskContext = Pick<ExecutorContext, 'root'> &
  Partial<Pick<ExecutorContext, 'projectName' | 'targetName' | 'projectsConfigurations'>>;

/**
 * Refuses a task that works on other files than its declared inputs and outputs: its result would be cached under the
 * wrong inputs. A failed task is never cached.
 */
export function refuseUntracked(
  { name, paths, task }: Pick<Stage, 'name' | 'paths' | 'task'>,
  values: Values,
  context: TaskContext,
  { env, opened }: Pick<Deps, 'env' | 'opened'>,
): void {
  refuseOtherProject(name, values, context);
  if (!task?.cache) return;
  refuseOvertaken(context.root, env);
  if (paths.includes('output')) refuseOtherOutput(name, values, context, opened);
  if (task.inputs.includes('codeObjects')) refuseOtherVariant(name, values, env, opened);
  if (task.inputs.includes('device')) refuseOtherDevice(values, env, opened);
}

/**
 * If two commands run at once, the later one wrote the values that both are hashed by. If those depend on more than
 * files, the earlier command's inputs are not covered.
 */
function refuseOvertaken(root: string, env: Environment): void {
  const own = env[commandVariable];
  if (own === undefined || commandIn(root) === own) return;
  throw new KernloopError(
    'COMMAND_OVERTAKEN',
    `another command of Nx began in ${root} while this one ran, with another toolchain, store or --variant: the answer of this task would be kept as that of the other's inputs`,
    'run it again when the other has ended; two such commands at once want a clone each',
  );
}

function commandIn(root: string): string | undefined {
  const file = join(root, commandFile);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function refuseOtherProject(
  stage: string,
  values: Values,
  { root, projectName, projectsConfigurations }: TaskContext,
): void {
  const own = projectName === undefined ? undefined : projectsConfigurations?.projects[projectName]?.root;
  const named = values['app'] ?? values['reproducer'];
  if (own === undefined || typeof named !== 'string' || resolve(root, own) === resolve(root, named)) return;
  throw new KernloopError(
    'USAGE',
    `the task ${stage} of ${projectName} is asked to work on ${resolve(root, named)}: Nx would keep the answer as that of ${own}`,
    `run the task of that project, or \`kernloop ${stage}\``,
  );
}

function refuseOtherOutput(
  stage: string,
  { app, output, kernel }: Values,
  context: TaskContext,
  open: ReadOnce | undefined,
): void {
  if (typeof output !== 'string' || typeof app !== 'string' || isDeclared(output, context)) return;
  const opened = openApp(app, open);
  const [name] = Array.isArray(kernel) ? (kernel as unknown[]) : [];
  const declared = stage === 'profile' ? opened.profile : typeof name === 'string' ? opened.capture(name) : undefined;
  if (declared !== undefined && resolve(output) === declared) return;
  throw new KernloopError(
    'USAGE',
    `--output ${output}: a task of Nx writes what it declares, ${declared ?? 'a capture of each kernel'}, or a hit would not bring it back`,
    `leave the option out (also ${environmentName(stage, 'output')} and "options" of kernloop.json), or run \`kernloop ${stage} --output\``,
  );
}

/** A target that the user wrote may declare other outputs, or may not be cached. */
function isDeclared(output: string, { root, projectName, targetName, projectsConfigurations }: TaskContext): boolean {
  const project = projectName === undefined ? undefined : projectsConfigurations?.projects[projectName];
  const target = targetName === undefined ? undefined : project?.targets?.[targetName];
  if (!project || !target) return false;
  const folders: Record<string, string> = { projectRoot: join(root, project.root), workspaceRoot: root };
  const declared = (target.outputs ?? []).map((text) =>
    text.replace(/^\{(\w+)\}/, (_, name: string) => folders[name] ?? ''),
  );
  return target.cache !== true || declared.some((path) => resolve(path) === resolve(output));
}

/** The plugin lists the variants that it hashed; without it there is no cache to corrupt. */
function refuseOtherVariant(stage: string, { variant, reproducer }: Values, env: Environment, opened?: ReadOnce): void {
  const tracked = env['KERNLOOP_TRACKED_VARIANTS'];
  if (tracked === undefined || typeof variant !== 'string' || variant === 'none' || typeof reproducer !== 'string')
    return;
  const { root } = openReproducer(reproducer, opened);
  const path = resolve(root, variant);
  const known = [...candidateFiles(root), 'build/variant.hsaco', 'build/variant.cubin'].map((name) => join(root, name));
  const names: unknown = JSON.parse(tracked);
  if (known.includes(path) || (Array.isArray(names) && names.includes(variant)) || !existsSync(path)) return;
  throw new KernloopError(
    'USAGE',
    `${relative(root, path)} is named where Nx does not see it, so an edit of it would not be noticed`,
    `name it with --variant, ${environmentName(stage, 'variant')}, kernel.json or project.json, or put it beside kernel.json`,
  );
}

/** The inputs of a task cover its own device, and the devices that the plugin saw named. */
function refuseOtherDevice({ device, app, reproducer }: Values, env: Environment, opened?: ReadOnce): void {
  const tracked = env['KERNLOOP_NAMED_DEVICES'];
  if (tracked === undefined || typeof device !== 'string') return;
  const own =
    typeof reproducer === 'string'
      ? openReproducer(reproducer, opened).config.device.kind
      : typeof app === 'string'
        ? (openApp(app, opened).config.device ?? 'softgpu')
        : device;
  const named: unknown = JSON.parse(tracked);
  if (device === own || (Array.isArray(named) && named.includes(device))) return;
  throw new KernloopError(
    'USAGE',
    `the device ${device} is named where Nx does not see it: it would keep the answer as that of ${own}`,
    'name it with --device, KERNLOOP_DEVICE, kernloop.json, kernel.json or project.json',
  );
}
