import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../app/app';
import { kernloopJsonSchema } from '../app/kernloop-json';
import { openReproducer } from '../reproducer/reproducer';
import { KernloopError, nearest } from '../support/error';
import {
  environmentLayer,
  flagLayer,
  resolveOptions,
  type Layer,
  type OptionsSchema,
  type Resolved,
} from '../support/options';
import { readJson } from '../support/schema';
import { stages, type Stage } from './registry';
import type { Environment } from '../support/environment';
import { kernloopFile, kernelFile } from '../support/project-file-names';

/** The options of a stage: flag > environment > kernel.json > kernloop.json > default, with the origin of each. */
export function configure<S extends OptionsSchema, R>(
  stage: Stage<S, R>,
  flags: Readonly<Record<string, unknown>>,
  env: Environment,
): Resolved<S> {
  const outer = [flagLayer(flags), environmentLayer(stage.schema, env)];
  return resolveOptions(stage.schema, [...outer, ...fileLayers(stage, outer)]);
}

/** The project that the flags and the environment name, or that of the working directory. */
function fileLayers(stage: Stage, outer: readonly Layer[]): Layer[] {
  const { project } = stage;
  if (project === 'none') return [];
  const named = outer.map(({ values }) => values[project]).find((value) => value !== undefined);
  const folder = typeof named === 'string' ? named : '.';
  return project === 'app' ? appLayers(stage, folder) : reproducerLayers(stage, folder);
}

function appLayers(stage: Stage, folder: string): Layer[] {
  const { config, root } = openApp(folder);
  return [layer(stage, join(root, kernloopFile), kernloopFile, { device: config.device }, config.options)];
}

function reproducerLayers(stage: Stage, folder: string): Layer[] {
  const { config, root, workspaceRoot } = openReproducer(folder);
  const own = layer(stage, join(root, kernelFile), kernelFile, { device: config.device.kind }, config.options);
  if (stage.selfContained) return [own];
  const appFile = join(workspaceRoot, config.app.root, kernloopFile);
  if (!existsSync(appFile)) return [own];
  const app = readJson(appFile, kernloopJsonSchema, 'CONFIG_MISSING', 'restore the file');
  return [own, layer(stage, appFile, kernloopFile, {}, app.options)];
}

/** What a misspelt stage says would be said to nobody. */
function requireStages(path: string, origin: string, options: Readonly<Record<string, unknown>>): void {
  const all = Object.values<Stage>(stages);
  const taking = all.filter(({ project, selfContained }) =>
    origin === kernelFile ? project === 'reproducer' : project !== 'none' && !selfContained,
  );
  const known = taking.map(({ name }) => name);
  for (const name of Object.keys(options).filter((each) => !known.includes(each))) {
    const stage = all.find((each) => each.name === name);
    const [suggestion] = nearest(name, known, 1);
    if (stage === undefined) {
      throw new KernloopError(
        'CONFIG_INVALID',
        `${path}: options: there is no stage "${name}"${suggestion ? ` (did you mean "${suggestion}"?)` : ''}`,
        `${origin} has options for ${known.join(', ')}`,
      );
    }
    const elsewhere = stage.project === 'none' ? undefined : origin === kernelFile ? kernloopFile : kernelFile;
    throw new KernloopError(
      'CONFIG_INVALID',
      `${path}: options.${name}: ${name} takes no options from ${origin}`,
      elsewhere ? `put them into ${elsewhere}` : 'give them on the command line, or as KERNLOOP_* variables',
    );
  }
}

function layer(
  stage: Stage,
  path: string,
  origin: string,
  implied: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Layer {
  requireStages(path, origin, options);
  const known = Object.keys(stage.schema.shape);
  const own = options[stage.name] ?? {};
  for (const name of Object.keys(own)) {
    if (known.includes(name)) continue;
    const [suggestion] = nearest(name, known, 1);
    throw new KernloopError(
      'CONFIG_INVALID',
      `${path}: options.${stage.name}: there is no option "${name}"${suggestion ? ` (did you mean "${suggestion}"?)` : ''}`,
      `see \`kernloop ${stage.name} --help\``,
    );
  }
  const relevant = Object.entries(implied).filter(([name]) => known.includes(name));
  return { origin, values: { ...Object.fromEntries(relevant), ...own } };
}
