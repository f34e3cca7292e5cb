/** The typed API: the stages as functions, with the same options, precedence and errors as the command line. */
import { configure } from '../lib/stages/configure';
import { stages, type Stage } from '../lib/stages/registry';
import { defaultDeps, type Deps } from '../lib/support/deps';
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
export const store = api(stages.store);
export const pack = api(stages.pack);
export const unpack = api(stages.unpack);

export { runDoctor as doctor } from '../lib/doctor/doctor';
export { KernloopError } from '../lib/support/error';
export { errorCodes, exitCodes, type ErrorCode } from '../lib/support/error-codes';
export { defaultDeps, type Deps } from '../lib/support/deps';
export type { Reporter } from '../lib/support/report';
export type { CaptureResult, KernelCapture } from '../lib/capture/capture';
export type { CaptureJson, Selfcheck } from '../lib/capture/capture-files';
export type { ExtractResult } from '../lib/extract/extract';
export type { GenerateResult } from '../lib/generate/generate';
export type { KernelProfile, Profile } from '../lib/profile/profile';
export type { StoreResult } from '../lib/store/maintain';
export type { PackResult, UnpackResult } from '../lib/store/pack';
export type { RecompileResult } from '../lib/toolchain/recompile';
export type { ReplayResult } from '../lib/replay/replay';
export type { Statistics } from '../lib/replay/statistics';
export type { Speed } from '../lib/replay/turns';
export type { Report } from '../lib/validate/report-json';
export type { KernloopJson } from '../lib/app/kernloop-json';
export type { KernelJson } from '../lib/reproducer/kernel-json';
