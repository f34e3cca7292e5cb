/** The typed API: the stages as functions, with the same options, precedence and errors as the command line. */
export * from './stage-functions';
export { KernloopError } from '../lib/support/error';
export { errorCodes, exitCodes, type ErrorCode } from '../lib/support/error-codes';
export { defaultDeps, type Deps } from '../lib/deps/deps';
export { consoleReporter, silentReporter, type Reporter } from '../lib/support/report';
export type { KernelCapture } from '../lib/capture/result';
export type { CaptureJson, Selfcheck } from '../lib/archive/capture-files';
export type { Check } from '../lib/doctor/check';
export type { ExtractedKernel } from '../lib/extract/result';
export type { KernelProfile, Profile } from '../lib/profile/profile-json';
export type { Speed, Statistics } from '../lib/replay/result';
export type { Report } from '../lib/validate/report-json';
export type { KernloopJson } from '../lib/app/kernloop-json';
export type { KernelJson } from '../lib/reproducer/kernel-json';
