import { dirname, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import type { Subject } from '../stage/either';
import type { Stage } from '../stage/stage';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { isOfMachine } from '../support/option-variables';
import { environmentLayer, flagLayer, type Layer } from '../support/options';
import { kernelFile, kernloopFile } from '../support/project-file-names';

/**
 * Descriptor of the stage for its subject: the reproducer or app that flags or environment name, else the project of
 * the working folder. Options that only the other subject has are refused.
 */
export function forSubject(stage: Stage, flags: Readonly<Record<string, unknown>>, env: Environment): Stage {
  if (stage.subjects === undefined) return stage;
  const layers = [flagLayer(flags), environmentLayer(stage.name, stage.options, env)];
  const subject = layers.map((layer) => namedIn(stage, layer)).find((named) => named !== undefined) ?? subjectAt('.');
  const chosen = stage.subjects[subject];
  for (const layer of layers) refuseOthers(chosen, layer);
  return chosen;
}

/** Kind of the nearest project around a folder; a reproducer if there is none. */
export function subjectAt(folder: string): Subject {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, kernelFile))) return 'reproducer';
    if (existsSync(join(at, kernloopFile))) return 'app';
    if (at === dirname(at)) return 'reproducer';
  }
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

function refuseOthers({ name: stage, project, options }: Stage, { values, origin }: Layer): void {
  const other = Object.keys(values).find(
    (name) =>
      values[name] !== undefined &&
      !(name in options.shape) &&
      // Machine variables set an option of every stage that has it.
      !(isOfMachine(name) && nameOf(origin, name).startsWith('KERNLOOP_')) &&
      !['reproducer', 'app'].includes(name),
  );
  if (other === undefined) return;
  const [is, needs] = project === 'app' ? ['an app', 'a reproducer'] : ['a reproducer', 'an app'];
  throw new KernloopError(
    'USAGE',
    `${nameOf(origin, other)}: ${stage} has this option for ${needs} only, and works on ${is} here`,
    `leave it out, or name ${needs} with --${project === 'app' ? 'reproducer' : 'app'}`,
  );
}

const nameOf = (origin: Layer['origin'], option: string): string =>
  typeof origin === 'string' ? origin : origin(option);
