import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kernloopJsonSchema } from '../app/kernloop-json';
import type { Reproducer } from '../reproducer/reproducer';
import { kernloopFile } from '../support/project-file-names';
import { readJson } from '../support/schema';
import { judging as judgingShape, type CandidateOptions } from './options';

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
}: CandidateOptions): object {
  return { reproducer, capture: capture ?? 'all', device, gpu, softgpu, store, launch, limitFactor, limitSeconds };
}

/** Options of validate: those given, or else those of kernel.json, or else of the app. */
export function judgingOptions(reproducer: Reproducer, options: CandidateOptions): object {
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
  // Candidates have no such option, because it concerns the memory of the app.
  const { mayReadUntouched } = declared;
  return { ...replayingOptions(options), ...Object.fromEntries(judged), mayReadUntouched, replays, adverse, delays };
}
