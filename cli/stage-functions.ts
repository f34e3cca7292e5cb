// Generated from the stages by `npm run schemas`.
import { stageFunction, type OptionsOf, type ResultOf } from './stage-function';

/** Watch the build of an app that has no compile database, and write one. */
export const watchBuild = stageFunction('watch-build');
export type WatchBuildOptions = OptionsOf<'watch-build'>;
export type WatchBuildResult = ResultOf<'watch-build'>;

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

/** Try configurations of a kernel on its captured inputs: each is judged as by validate, and the best is named. */
export const tune = stageFunction('tune');
export type TuneOptions = OptionsOf<'tune'>;
export type TuneResult = ResultOf<'tune'>;

/** Show what the profile of a kernel says: counts, wave visits, uniformity and spills, block by block. */
export const pgoShow = stageFunction('pgo-show');
export type PgoShowOptions = OptionsOf<'pgo-show'>;
export type PgoShowResult = ResultOf<'pgo-show'>;

/** Build the kernel of a reproducer with counters in it, for pgo-generate. */
export const pgoInstrument = stageFunction('pgo-instrument');
export type PgoInstrumentOptions = OptionsOf<'pgo-instrument'>;
export type PgoInstrumentResult = ResultOf<'pgo-instrument'>;

/** Replay the captured dispatches with counters in the kernel, and write raw profiles. */
export const pgoGenerate = stageFunction('pgo-generate');
export type PgoGenerateOptions = OptionsOf<'pgo-generate'>;
export type PgoGenerateResult = ResultOf<'pgo-generate'>;

/** Add up raw profiles to one that the compiler reads, with uniformity and wave visits beside it. */
export const pgoMerge = stageFunction('pgo-merge');
export type PgoMergeOptions = OptionsOf<'pgo-merge'>;
export type PgoMergeResult = ResultOf<'pgo-merge'>;

/** Build the kernel of a reproducer by its profile, under each gate of spill placement, for pgo-use. */
export const pgoBuild = stageFunction('pgo-build');
export type PgoBuildOptions = OptionsOf<'pgo-build'>;
export type PgoBuildResult = ResultOf<'pgo-build'>;

/** Judge and measure what pgo-build built, and keep the best: never a wrong variant, nor a slower one. */
export const pgoUse = stageFunction('pgo-use');
export type PgoUseOptions = OptionsOf<'pgo-use'>;
export type PgoUseResult = ResultOf<'pgo-use'>;

/** Build an app once more from its compile database, with counters in its kernels. */
export const pgoAppInstrument = stageFunction('pgo-app-instrument');
export type PgoAppInstrumentOptions = OptionsOf<'pgo-app-instrument'>;
export type PgoAppInstrumentResult = ResultOf<'pgo-app-instrument'>;

/** Run the instrumented program of an app, and collect the raw profiles of its kernels. */
export const pgoAppGenerate = stageFunction('pgo-app-generate');
export type PgoAppGenerateOptions = OptionsOf<'pgo-app-generate'>;
export type PgoAppGenerateResult = ResultOf<'pgo-app-generate'>;

/** Add up the raw profiles of an app to one that the compiler reads, with wave visits beside it. */
export const pgoAppMerge = stageFunction('pgo-app-merge');
export type PgoAppMergeOptions = OptionsOf<'pgo-app-merge'>;
export type PgoAppMergeResult = ResultOf<'pgo-app-merge'>;

/** Build an app by the profile of its kernels, under each gate of spill placement, for pgo-app-use. */
export const pgoAppBuild = stageFunction('pgo-app-build');
export type PgoAppBuildOptions = OptionsOf<'pgo-app-build'>;
export type PgoAppBuildResult = ResultOf<'pgo-app-build'>;

/** Run the builds of an app by its profile beside the app, and keep the one that executes least, if one is better. */
export const pgoAppUse = stageFunction('pgo-app-use');
export type PgoAppUseOptions = OptionsOf<'pgo-app-use'>;
export type PgoAppUseResult = ResultOf<'pgo-app-use'>;

/** Run an app that compiles its kernels at run time: measure them, then run them by their profile. */
export const pgoRuntime = stageFunction('pgo-runtime');
export type PgoRuntimeOptions = OptionsOf<'pgo-runtime'>;
export type PgoRuntimeResult = ResultOf<'pgo-runtime'>;

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

/** Send the captures of a reproducer to a server, for other machines to pull. */
export const push = stageFunction('push');
export type PushOptions = OptionsOf<'push'>;
export type PushResult = ResultOf<'push'>;

/** Fetch captures that were pushed to a server, every byte verified. */
export const pull = stageFunction('pull');
export type PullOptions = OptionsOf<'pull'>;
export type PullResult = ResultOf<'pull'>;

/** Replay captured dispatches with probes in the kernel, and write a trace folder. */
export const traceRun = stageFunction('trace-run');
export type TraceRunOptions = OptionsOf<'trace-run'>;
export type TraceRunResult = ResultOf<'trace-run'>;

/** Read a trace of Neutrino (its files, what the probes cost, what every column holds), or events that kernels recorded. */
export const traceRead = stageFunction('trace-read');
export type TraceReadOptions = OptionsOf<'trace-read'>;
export type TraceReadResult = ResultOf<'trace-read'>;

/** Generate a reader for the traces of a probe.toml, in TypeScript, Python or C. */
export const traceGen = stageFunction('trace-gen');
export type TraceGenOptions = OptionsOf<'trace-gen'>;
export type TraceGenResult = ResultOf<'trace-gen'>;

/** Write the records of a trace as tables, or events that kernels recorded as one timeline. */
export const traceExport = stageFunction('trace-export');
export type TraceExportOptions = OptionsOf<'trace-export'>;
export type TraceExportResult = ResultOf<'trace-export'>;

/** Analyse a trace: how blocks were scheduled, which memory was touched when, what was counted, how far threads got. */
export const traceAnalyze = stageFunction('trace-analyze');
export type TraceAnalyzeOptions = OptionsOf<'trace-analyze'>;
export type TraceAnalyzeResult = ResultOf<'trace-analyze'>;

/** Say what this machine has and lacks for Kernloop. */
export const doctor = stageFunction('doctor');
export type DoctorOptions = OptionsOf<'doctor'>;
export type DoctorResult = ResultOf<'doctor'>;
