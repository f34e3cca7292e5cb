import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Subject } from '../stage/either';
import type { Stage } from '../stage/stage';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { environmentName, isOfMachine } from '../support/option-variables';
import { environmentLayer, flagLayer, type Layer } from '../support/options';
import { kernelFile, kernloopFile } from '../support/project-file-names';
import { findUpward } from '../support/workspace-root';

/**
 * Descriptor of the stage for its subject: the reproducer or app that flags or environment name, else the project of
 * the working folder. Options that only the other subject has are refused.
 */
export function forSubject(stage: Stage, flags: Readonly<Record<string, unknown>>, env: Environment): Stage {
  if (stage.subjects === undefined) return stage;
  const layers = [flagLayer(flags), environmentLayer(stage.name, stage.options, env)];
  const subject = layers.map((layer) => namedIn(stage, layer)).find((named) => named !== undefined) ?? subjectAt('.');
  const { reproducer, app } = stage.subjects;
  const [chosen, other] = subject === 'app' ? [app, reproducer] : [reproducer, app];
  for (const layer of layers) refuseOthers(chosen, other, layer);
  return chosen;
}

/**
 * Kind of the nearest project around a folder. A reproducer if there is none, and where reproducers are: its error
 * names those that were meant.
 */
export function subjectAt(folder: string): Subject {
  const from = resolve(folder);
  const [kernel, app] = [kernelFile, kernloopFile].map((file) => findUpward(from, file));
  if (app === undefined || !existsSync(from) || relative(app, from).split(sep)[0] === 'kernels') return 'reproducer';
  return kernel !== undefined && kernel.length >= app.length ? 'reproducer' : 'app';
}

function namedIn({ name: stage }: Stage, { values, origin }: Layer): Subject | undefined {
  const named = (['reproducer', 'app'] as const).filter((name) => values[name] !== undefined);
  if (named.length < 2) return named[0];
  throw new KernloopError(
    'USAGE',
    `${stage} works on a reproducer or on an app: it is given both (${named.map((name) => nameOf(origin, name)).join(', ')})`,
    'leave one of them out',
  );
}

function refuseOthers(chosen: Stage, other: Stage, { values, origin }: Layer): void {
  const [needs, is] = [other, chosen].map(({ project }) => (project === 'app' ? 'an app' : 'a reproducer'));
  for (const name of Object.keys(other.options.shape)) {
    if (values[name] === undefined || name in chosen.options.shape || name === other.project) continue;
    // A variable of the machine sets the options of every stage that has it.
    if (isOfMachine(name) && nameOf(origin, name) === environmentName(chosen.name, name)) continue;
    throw new KernloopError(
      'USAGE',
      `${nameOf(origin, name)}: ${chosen.name} has this option for ${needs} only, and works on ${is} here`,
      `leave it out, or name ${needs} with --${other.project}`,
    );
  }
}

const nameOf = (origin: Layer['origin'], option: string): string =>
  typeof origin === 'string' ? origin : origin(option);
