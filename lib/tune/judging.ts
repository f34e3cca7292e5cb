import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kernloopJsonSchema } from '../app/kernloop-json';
import type { Reproducer } from '../reproducer/reproducer';
import { kernloopFile } from '../support/project-file-names';
import { readJson } from '../support/schema';
import { judging as judgingShape, type TuneOptions } from './options';

/** Default number of derived inputs for the best configuration. */
const inputsOfBest = 4;
/** Wave-instructions up to which the best is judged by derived inputs: each input costs two more replays. */
const mostInstructions = 2_000_000;

/**
 * Number of derived inputs that the best configuration must pass before it is called better; null if its replay is too
 * long. 0 if the user's options already decide it, or on hardware (costly) and with HIP launches (which do not show
 * what is read).
 */
export function inputsForBest(
  judging: object,
  { launch }: Pick<TuneOptions, 'launch'>,
  waveInstructions: number | null,
): number | null {
  if (('inputs' in judging && judging.inputs !== undefined) || launch === 'hip' || waveInstructions === null) return 0;
  return waveInstructions > mostInstructions ? null : inputsOfBest;
}

/** Options that every replaying stage has. */
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

/** Tolerances of the user: the options, or else those of kernel.json, or else of the app. */
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
  // tune has no such option, because it concerns the app's memory and not the search.
  const { mayReadUntouched } = declared;
  return { ...replayingOptions(options), ...Object.fromEntries(judged), mayReadUntouched, replays, adverse, delays };
}
