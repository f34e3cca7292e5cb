/** The typed API: the stages as functions, with the same options, precedence and errors as the command line. */
import { configure } from '../lib/stages/configure';
import { stages, type Stage } from '../lib/stages/registry';
import { defaultDeps, type Deps } from '../lib/deps/deps';
import type { OptionsSchema } from '../lib/support/options';
import type { z } from 'zod';

function api<S extends OptionsSchema, R>(
  stage: Stage<S, R>,
): (options?: z.input<S>, deps?: Partial<Deps>) => Promise<R> {
  return (options, overrides = {}) => {
    const deps = defaultDeps(overrides);
    return stage.run(configure(stage, options ?? {}, deps.env).values, deps);
  };
}

export const profile = api(stages.profile);
export const capture = api(stages.capture);
export const generate = api(stages.generate);
export const extract = api(stages.extract);
export const recompile = api(stages.recompile);
export const replay = api(stages.replay);
export const validate = api(stages.validate);
export const adopt = api(stages.adopt);
export const store = api(stages.store);
export const pack = api(stages.pack);
export const unpack = api(stages.unpack);
export const doctor = api(stages.doctor);

export { KernloopError } from '../lib/support/error';
export { errorCodes, exitCodes, type ErrorCode } from '../lib/support/error-codes';
export { defaultDeps, type Deps } from '../lib/deps/deps';
export { consoleReporter, silentReporter, type Reporter } from '../lib/support/report';
export type { CaptureResult, KernelCapture } from '../lib/capture/result';
export type { CaptureJson, Selfcheck } from '../lib/archive/capture-files';
export type { Check, DoctorResult } from '../lib/doctor/check';
export type { AdoptResult, ExtractedKernel, ExtractResult } from '../lib/extract/result';
export type { GenerateResult } from '../lib/generate/result';
export type { KernelProfile, Profile } from '../lib/profile/profile-json';
export type { PackResult, StoreResult, UnpackResult } from '../lib/store/result';
export type { RecompileResult } from '../lib/recompile/result';
export type { ReplayResult, Speed, Statistics } from '../lib/replay/result';
export type { Report } from '../lib/validate/report-json';
export type { KernloopJson } from '../lib/app/kernloop-json';
export type { KernelJson } from '../lib/reproducer/kernel-json';
