// Generated from the stages by `npm run schemas`.
import { stageFunction, type OptionsOf, type ResultOf } from './stage-function';

/** Declare a program in kernloop.json: how it is built and run, and which of its kernels matter. */
export const init = stageFunction('init');
export type InitOptions = OptionsOf<'init'>;
export type InitResult = ResultOf<'init'>;

/** Run the build of an app that has no compile database, and write one. */
export const watchBuild = stageFunction('watch-build');
export type WatchBuildOptions = OptionsOf<'watch-build'>;
export type WatchBuildResult = ResultOf<'watch-build'>;

/** List the apps of a workspace, their declared kernels, their reproducers and the last verdict on each. */
export const kernels = stageFunction('kernels');
export type KernelsOptions = OptionsOf<'kernels'>;
export type KernelsResult = ResultOf<'kernels'>;

/** Rank the kernels that an app launches. */
export const profile = stageFunction('profile');
export type ProfileOptions = OptionsOf<'profile'>;
export type ProfileResult = ResultOf<'profile'>;

/** Declare a kernel of an app in kernloop.json, so that it can be extracted. */
export const declare = stageFunction('declare');
export type DeclareOptions = OptionsOf<'declare'>;
export type DeclareResult = ResultOf<'declare'>;

/** Run an app and capture dispatches of its kernels. */
export const capture = stageFunction('capture');
export type CaptureOptions = OptionsOf<'capture'>;
export type CaptureResult = ResultOf<'capture'>;

/** Write the source and project files of a captured kernel into pristine/. */
export const generate = stageFunction('generate');
export type GenerateOptions = OptionsOf<'generate'>;
export type GenerateResult = ResultOf<'generate'>;

/** Turn kernels of an app into projects of their own: capture, generate, adopt. */
export const extract = stageFunction('extract');
export type ExtractOptions = OptionsOf<'extract'>;
export type ExtractResult = ResultOf<'extract'>;

/** Add the files a reproducer lacks, from its pristine copy. */
export const adopt = stageFunction('adopt');
export type AdoptOptions = OptionsOf<'adopt'>;
export type AdoptResult = ResultOf<'adopt'>;

/** Rebuild the kernel of a reproducer from its edited source. */
export const recompile = stageFunction('recompile');
export type RecompileOptions = OptionsOf<'recompile'>;
export type RecompileResult = ResultOf<'recompile'>;

/** Run a captured dispatch, or your edit of it, again and measure it. */
export const replay = stageFunction('replay');
export type ReplayOptions = OptionsOf<'replay'>;
export type ReplayResult = ResultOf<'replay'>;

/** Check an edited kernel: replay it and compare memory with what the app computed. */
export const validate = stageFunction('validate');
export type ValidateOptions = OptionsOf<'validate'>;
export type ValidateResult = ResultOf<'validate'>;

/** Find the best configuration of a kernel on its captured inputs. Each one is validated. */
export const tune = stageFunction('tune');
export type TuneOptions = OptionsOf<'tune'>;
export type TuneResult = ResultOf<'tune'>;

/** Judge and score candidates for a kernel: sources that nobody trusts, many at a time. */
export const judge = stageFunction('judge');
export type JudgeOptions = OptionsOf<'judge'>;
export type JudgeResult = ResultOf<'judge'>;

/** Say whether reports of judge are genuine, and of this capture, these settings and these sources. */
export const verifyReport = stageFunction('verify-report');
export type VerifyReportOptions = OptionsOf<'verify-report'>;
export type VerifyReportResult = ResultOf<'verify-report'>;

/** Write a reproducer as a task of a benchmark for agents: AgentKernelArena, flashinfer-bench. */
export const exportTask = stageFunction('export-task');
export type ExportTaskOptions = OptionsOf<'export-task'>;
export type ExportTaskResult = ResultOf<'export-task'>;

/** Show the profile of a kernel, block by block: counts, wave visits, uniformity, spills. */
export const pgoShow = stageFunction('pgo-show');
export type PgoShowOptions = OptionsOf<'pgo-show'>;
export type PgoShowResult = ResultOf<'pgo-show'>;

/** Build a kernel, or a whole app, with counters in its kernels. */
export const pgoInstrument = stageFunction('pgo-instrument');
export type PgoInstrumentOptions = OptionsOf<'pgo-instrument'>;
export type PgoInstrumentResult = ResultOf<'pgo-instrument'>;

/** Replay the captured dispatches, or run the app, with counters in the kernels. */
export const pgoGenerate = stageFunction('pgo-generate');
export type PgoGenerateOptions = OptionsOf<'pgo-generate'>;
export type PgoGenerateResult = ResultOf<'pgo-generate'>;

/** Merge raw profiles into one that the compiler reads, with uniformity and wave visits. */
export const pgoMerge = stageFunction('pgo-merge');
export type PgoMergeOptions = OptionsOf<'pgo-merge'>;
export type PgoMergeResult = ResultOf<'pgo-merge'>;

/** Build a kernel, or a whole app, with its profile, once for each spill-placement gate. */
export const pgoBuild = stageFunction('pgo-build');
export type PgoBuildOptions = OptionsOf<'pgo-build'>;
export type PgoBuildResult = ResultOf<'pgo-build'>;

/** Compare what pgo-build built with the code as it is. Keep the best, unless it is wrong or slower. */
export const pgoUse = stageFunction('pgo-use');
export type PgoUseOptions = OptionsOf<'pgo-use'>;
export type PgoUseResult = ResultOf<'pgo-use'>;

/** Run an app that compiles kernels at run time: measure them, then use their profiles. */
export const pgoRuntime = stageFunction('pgo-runtime');
export type PgoRuntimeOptions = OptionsOf<'pgo-runtime'>;
export type PgoRuntimeResult = ResultOf<'pgo-runtime'>;

/** Verify the chunk store, clean it up, or say what it holds. */
export const store = stageFunction('store');
export type StoreOptions = OptionsOf<'store'>;
export type StoreResult = ResultOf<'store'>;

/** Pack a capture, with every chunk it needs, into one file. */
export const pack = stageFunction('pack');
export type PackOptions = OptionsOf<'pack'>;
export type PackResult = ResultOf<'pack'>;

/** Unpack a packed capture and verify every byte. */
export const unpack = stageFunction('unpack');
export type UnpackOptions = OptionsOf<'unpack'>;
export type UnpackResult = ResultOf<'unpack'>;

/** Send the captures of a reproducer to a server, so that other machines can pull them. */
export const push = stageFunction('push');
export type PushOptions = OptionsOf<'push'>;
export type PushResult = ResultOf<'push'>;

/** Fetch captures from a server and verify every byte. */
export const pull = stageFunction('pull');
export type PullOptions = OptionsOf<'pull'>;
export type PullResult = ResultOf<'pull'>;

/** Replay captured dispatches with probes in the kernel, and write a trace. */
export const traceRun = stageFunction('trace-run');
export type TraceRunOptions = OptionsOf<'trace-run'>;
export type TraceRunResult = ResultOf<'trace-run'>;

/** Show what a trace holds: a Neutrino trace (files, cost of the probes, columns), or kernel events. */
export const traceRead = stageFunction('trace-read');
export type TraceReadOptions = OptionsOf<'trace-read'>;
export type TraceReadResult = ResultOf<'trace-read'>;

/** Generate code that reads the traces of a probe.toml, in TypeScript, Python or C. */
export const traceGen = stageFunction('trace-gen');
export type TraceGenOptions = OptionsOf<'trace-gen'>;
export type TraceGenResult = ResultOf<'trace-gen'>;

/** Export a trace: probe records as tables, kernel events as one timeline. */
export const traceExport = stageFunction('trace-export');
export type TraceExportOptions = OptionsOf<'trace-export'>;
export type TraceExportResult = ResultOf<'trace-export'>;

/** Analyse a trace: block schedules, memory access over time, totals, progress of threads. */
export const traceAnalyze = stageFunction('trace-analyze');
export type TraceAnalyzeOptions = OptionsOf<'trace-analyze'>;
export type TraceAnalyzeResult = ResultOf<'trace-analyze'>;

/** Put what is known of a reproducer, a trace or a workspace onto one page that can be sent. */
export const report = stageFunction('report');
export type ReportOptions = OptionsOf<'report'>;
export type ReportResult = ResultOf<'report'>;

/** Check what this machine has for Kernloop, and what is missing. */
export const doctor = stageFunction('doctor');
export type DoctorOptions = OptionsOf<'doctor'>;
export type DoctorResult = ResultOf<'doctor'>;
