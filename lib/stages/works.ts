import { captureSelections, type CaptureOutcome } from '../capture/capture';
import type { Selection } from '../capture/selection';
import type { Deps } from '../deps/deps';
import type { JobRequest } from '../slurm/exchange';
import type { Stage } from '../stage/stage';
import { KernloopError } from '../support/error';
import { tune, tuneShare } from '../tune/tune';
import { isStageName, stages } from './registry';
import { forSubject } from './subject';

/** Kinds of work that a job can do. Each returns plain JSON. */
type Work = (stage: Stage, request: JobRequest, deps: Deps) => Promise<unknown>;

const works: Readonly<Record<string, Work>> = {
  stage: (stage, { options }, deps) => stage.run(stage.options.parse(options), deps),
  task: (stage, { options }, deps) => {
    if (!stage.task?.run) throw new Error(`${stage.name} has no task of its own`);
    return stage.task.run(options, deps);
  },
  captures: async (_stage, { options, more }, deps) =>
    withPlainErrors(await captureSelections(stages.capture.options.parse(options), more as Selection[], deps)),
  'tune-share': (_stage, { options, more }, deps) => tuneShare(stages.tune.options.parse(options), more as Share, deps),
  'tune-rest': (_stage, { options, more }, deps) =>
    tune(stages.tune.options.parse(options), deps, new Set(more as string[])),
};

type Share = Parameters<typeof tuneShare>[1];

export function workOf(request: JobRequest, deps: Deps): Promise<unknown> {
  const work = works[request.work];
  if (!work || !isStageName(request.stage)) throw new Error(`no job does ${request.work} of ${request.stage}`);
  return work(forSubject(stages[request.stage], request.options, {}), request, deps);
}

const withPlainErrors = ({ failures, ...rest }: CaptureOutcome): object => ({
  ...rest,
  failures: failures.map(({ error, ...failure }) => ({
    ...failure,
    error: error instanceof KernloopError ? error.toJSON() : error,
  })),
});
