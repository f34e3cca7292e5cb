import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readKernloopJson, type App } from '../app/app';
import { appAt, isDeclared } from '../app/command-app';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { closest, KernloopError } from '../support/error';
import {
  environmentLayer,
  flagLayer,
  numbersAsText,
  optionInfos,
  resolveOptions,
  type Layer,
  type OptionsSchema,
  type Resolved,
} from '../support/options';
import type { ReadOnce } from '../support/read-once';
import type { Stage } from '../stage/stage';
import { formerVerbs } from './former-verbs';
import { isStageName, stageNames, stageSummaries } from './registry';
import type { Environment } from '../support/environment';
import { kernloopFile, kernelFile } from '../support/project-file-names';
import { workspaceIn } from '../reproducer/workspace-in';

/** Fields of a stage that its options depend on. */
type Configurable<S extends OptionsSchema = OptionsSchema> = Pick<
  Stage<S>,
  'name' | 'options' | 'project' | 'ofOther' | 'projectless' | 'selfContained' | 'trailing'
>;

/** The options of a stage: flag > environment > kernel.json > kernloop.json > default, with the origin of each. */
export function configure<S extends OptionsSchema>(
  stage: Configurable<S>,
  flags: Readonly<Record<string, unknown>>,
  env: Environment,
  opened?: ReadOnce,
): Resolved<S> {
  const outer = [flagLayer(flags), environmentLayer(stage.name, stage.options, env)];
  return resolveOptions(stage.options, [...outer, ...fileLayers(stage, outer, env, opened)]);
}

/** Project named by the flags or the environment, else that of the working directory. */
function fileLayers(
  stage: Configurable,
  outer: readonly Layer[],
  env: Environment,
  opened: ReadOnce | undefined,
): Layer[] {
  const { project, projectless = [] } = stage;
  if (project === 'none' || projectless.some((name) => outer.some(({ values }) => values[name] !== undefined)))
    return [];
  const given = (name: string): unknown => outer.find(({ values }) => values[name] !== undefined)?.values[name];
  const named = given(project);
  const folder = typeof named === 'string' ? named : '.';
  if (projectless.includes('workspace') && workspaceIn(folder) !== undefined) return [];
  if (project === 'reproducer') return reproducerLayers(stage, folder, opened);
  const place = { app: folder, command: stage.trailing === undefined ? [] : commandIn(given(stage.trailing)) };
  if (isDeclared(place)) return [appLayer(stage, appAt(place, env, opened), kernloopFile)];
  // The program says what it has code for. A target that the user names is one of the software GPU.
  return given('softgpu') === undefined ? [appLayer(stage, appAt(place, env), 'the program')] : [];
}

const commandIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function appLayer(stage: Configurable, { config, root }: App, origin: string): Layer {
  return { ...layer(stage, join(root, kernloopFile), kernloopFile, { device: config.device }, config.options), origin };
}

function reproducerLayers(stage: Configurable, folder: string, opened: ReadOnce | undefined): Layer[] {
  const { config, root, workspaceRoot } = opening(stage, folder, opened);
  const own = layer(stage, join(root, kernelFile), kernelFile, { device: config.device.kind }, config.options);
  if (stage.selfContained) return [own];
  const appFile = join(workspaceRoot, config.app.root, kernloopFile);
  if (!existsSync(appFile)) return [own];
  const app = readKernloopJson(appFile, opened);
  return [own, layer(stage, appFile, kernloopFile, {}, app.options)];
}

/** Opens the reproducer; if an app is there instead, and the stage works on whole apps as well, the option is named. */
function opening({ name }: Configurable, folder: string, opened: ReadOnce | undefined): Reproducer {
  try {
    return openReproducer(folder, opened);
  } catch (error) {
    if (!(error instanceof KernloopError) || !isStageName(name) || stageSummaries[name].project !== 'either')
      throw error;
    if (!existsSync(join(folder, kernloopFile))) throw error;
    const hint = `${error.hint}; \`kernloop ${name} --app\` works on the whole app`;
    throw new KernloopError(error.code, error.what, hint, { cause: error });
  }
}

/** Refuses misspelt stage names, whose options would be ignored silently. */
function requireStages(path: string, origin: string, options: Readonly<Record<string, unknown>>): void {
  const known = stageNames.filter((name) => {
    const { project, selfContained } = stageSummaries[name];
    return origin === kernelFile ? ['reproducer', 'either'].includes(project) : project !== 'none' && !selfContained;
  }) as string[];
  for (const name of Object.keys(options).filter((each) => !known.includes(each))) {
    const suggestion = formerVerbs[name] ?? closest(name, known, 1)[0];
    if (!isStageName(name)) {
      throw new KernloopError(
        'CONFIG_INVALID',
        `${path}: options: there is no stage "${name}"${suggestion ? ` (did you mean "${suggestion}"?)` : ''}`,
        `${origin} has options for ${known.join(', ')}`,
      );
    }
    const elsewhere =
      stageSummaries[name].project === 'none' ? undefined : origin === kernelFile ? kernloopFile : kernelFile;
    throw new KernloopError(
      'CONFIG_INVALID',
      `${path}: options.${name}: ${name} takes no options from ${origin}`,
      elsewhere ? `put them into ${elsewhere}` : 'give them on the command line, or as KERNLOOP_* variables',
    );
  }
}

function layer(
  stage: Configurable,
  path: string,
  origin: string,
  implied: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Layer {
  requireStages(path, origin, options);
  const known = Object.keys(stage.options.shape);
  const others = origin === kernelFile ? [] : (stage.ofOther ?? []);
  const written = Object.entries(options[stage.name] ?? {});
  const own = Object.fromEntries(written.filter(([name]) => known.includes(name) || !others.includes(name)));
  for (const name of Object.keys(own)) {
    if (known.includes(name)) continue;
    const [suggestion] = closest(name, known, 1);
    throw new KernloopError(
      'CONFIG_INVALID',
      `${path}: options.${stage.name}: there is no option "${name}"${suggestion ? ` (did you mean "${suggestion}"?)` : ''}`,
      `see \`kernloop ${stage.name} --help\``,
    );
  }
  const relevant = Object.entries(implied).filter(([name]) => known.includes(name));
  const texts = optionInfos(stage.options).filter(({ type, name }) => type === 'string' && name in own);
  const numbers = texts.map(({ name }) => [name, numbersAsText(own[name])] as const);
  return { origin, values: { ...Object.fromEntries(relevant), ...own, ...Object.fromEntries(numbers) } };
}
