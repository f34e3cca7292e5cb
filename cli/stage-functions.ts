// Generated from the stages by `npm run schemas`.
import { stageFunction, type OptionsOf, type ResultOf } from './stage-function';

/** Rank the kernels that an app launches. */
export const profile = stageFunction('profile');
export type ProfileOptions = OptionsOf<'profile'>;
export type ProfileResult = ResultOf<'profile'>;

/** Capture dispatches of kernels out of a run of an app. */
export const capture = stageFunction('capture');
export type CaptureOptions = OptionsOf<'capture'>;
export type CaptureResult = ResultOf<'capture'>;

/** Generate the pristine files of a kernel's reproducer from its capture. */
export const generate = stageFunction('generate');
export type GenerateOptions = OptionsOf<'generate'>;
export type GenerateResult = ResultOf<'generate'>;

/** Capture, generate and adopt: kernels of an app become projects of their own. */
export const extract = stageFunction('extract');
export type ExtractOptions = OptionsOf<'extract'>;
export type ExtractResult = ResultOf<'extract'>;

/** Copy what does not exist yet out of the pristine files of a reproducer. */
export const adopt = stageFunction('adopt');
export type AdoptOptions = OptionsOf<'adopt'>;
export type AdoptResult = ResultOf<'adopt'>;

/** Rebuild the kernel of a reproducer from its edited source. */
export const recompile = stageFunction('recompile');
export type RecompileOptions = OptionsOf<'recompile'>;
export type RecompileResult = ResultOf<'recompile'>;

/** Replay a captured dispatch, or a variant of it. */
export const replay = stageFunction('replay');
export type ReplayOptions = OptionsOf<'replay'>;
export type ReplayResult = ResultOf<'replay'>;

/** Replay a variant and compare device memory with what the app computed. */
export const validate = stageFunction('validate');
export type ValidateOptions = OptionsOf<'validate'>;
export type ValidateResult = ResultOf<'validate'>;

/** Look after the chunk store: verify it, remove what no capture needs, or say what it holds. */
export const store = stageFunction('store');
export type StoreOptions = OptionsOf<'store'>;
export type StoreResult = ResultOf<'store'>;

/** Make one file of a capture, with every chunk it needs. */
export const pack = stageFunction('pack');
export type PackOptions = OptionsOf<'pack'>;
export type PackResult = ResultOf<'pack'>;

/** Make a capture of a packed one, every byte verified. */
export const unpack = stageFunction('unpack');
export type UnpackOptions = OptionsOf<'unpack'>;
export type UnpackResult = ResultOf<'unpack'>;

/** Say what this machine has and lacks for Kernloop. */
export const doctor = stageFunction('doctor');
export type DoctorOptions = OptionsOf<'doctor'>;
export type DoctorResult = ResultOf<'doctor'>;
