import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kernloopJsonSchema } from '../app/kernloop-json';
import type { Reproducer } from '../reproducer/reproducer';
import { kernloopFile } from '../support/project-file-names';
import { readJson } from '../support/schema';
import { judging as judgingShape, type TuneOptions } from './options';

/** Derived inputs for the best configuration, where nobody says how many. */
const inputsOfBest = 4;
/** A replay may execute so many: each derived input costs two more. */
const mostInstructions = 2_000_000;

/**
 * How many derived inputs the best configuration is judged by before it is called better; null where it is too long a replay for that. 0 where
 * every candidate was judged as the user says, or no input can be derived: hardware costs time, and HIP launches tell nothing of what is read.
 */
export function inputsForBest(
  judging: object,
  { launch }: Pick<TuneOptions, 'launch'>,
  waveInstructions: number | null,
): number | null {
  if (('inputs' in judging && judging.inputs !== undefined) || launch === 'hip' || waveInstructions === null) return 0;
  return waveInstructions > mostInstructions ? null : inputsOfBest;
}

/** Every stage that replays has these. */
export function replayingOptions({
  reproducer,
  capture,
  device,
  gpu,
  softgpu,
  store,
  launch,
  limitFactor,
  limitSeconds,
}: TuneOptions): object {
  return { reproducer, capture: capture ?? 'all', device, gpu, softgpu, store, launch, limitFactor, limitSeconds };
}

/** The tolerances under which the user has variants judged, where none is given here: those of kernel.json, else of the app. */
export function judgingOptions(reproducer: Reproducer, options: TuneOptions): object {
  const appFile = join(reproducer.workspaceRoot, reproducer.config.app.root, kernloopFile);
  const app = existsSync(appFile)
    ? readJson(appFile, kernloopJsonSchema, 'CONFIG_MISSING', 'restore the file').options['validate']
    : {};
  const declared: Record<string, unknown> = { ...app, ...reproducer.config.options['validate'] };
  const judged = Object.keys(judgingShape).map((name): [string, unknown] => {
    const given = options[name as keyof typeof judgingShape];
    return [name, given === undefined || (Array.isArray(given) && given.length === 0) ? declared[name] : given];
  });
  const { replays, adverse, delays } = options;
  // tune has no such option: the app's memory is no matter of a search.
  const { mayReadUntouched } = declared;
  return { ...replayingOptions(options), ...Object.fromEntries(judged), mayReadUntouched, replays, adverse, delays };
}
