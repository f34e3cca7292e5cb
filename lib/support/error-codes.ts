/** Exit codes of every program of Kernloop. They are stable: none ever changes its meaning. */
export const exitCodes = {
  pass: 0,
  fail: 1,
  usage: 2,
  vacuous: 3,
  fault: 4,
  environment: 5,
  interrupted: 130,
} as const;

export type ExitCodeName = keyof typeof exitCodes;

/** Source of docs/reference/exit-codes.md. */
export const exitCodeMeanings: Readonly<Record<ExitCodeName, { meaning: string; next: string }>> = {
  pass: { meaning: 'What was asked for was done, and the verdict, where there is one, is good.', next: 'go on' },
  fail: {
    meaning:
      'A verdict: the result is wrong, the compiler rejects the variant, the dispatch cannot be captured, the store is damaged.',
    next: 'look at `result` or at `error`; the same command gives the same again',
  },
  usage: {
    meaning: 'An option, a file or the app is not as it should be; nothing was judged.',
    next: 'do what the hint says, and try again',
  },
  vacuous: {
    meaning:
      'The comparison proves nothing: the captured dispatch changed no byte, or the tolerance would pass anything.',
    next: 'capture another dispatch, or narrow the tolerance',
  },
  fault: {
    meaning: 'The device faulted, or the dispatch ran past its limit.',
    next: '`fault` in the result names kernel, pc, lane and address',
  },
  environment: { meaning: 'The machine lacks something.', next: 'run `kernloop doctor`' },
  interrupted: { meaning: 'Stopped by a signal; nothing was left half-written.', next: 'run it again' },
};

interface ErrorKind {
  exitCode: number;
  meaning: string;
}

function kinds<T extends Record<string, ErrorKind>>(table: T): T {
  return table;
}

/** Every error code with its exit code and one-line meaning; the source of docs/reference/errors.md. */
export const errorCodes = kinds({
  USAGE: { exitCode: exitCodes.usage, meaning: 'an option is unknown, missing or out of range' },
  CONFIG_MISSING: { exitCode: exitCodes.usage, meaning: 'kernloop.json or kernel.json was not found' },
  CONFIG_INVALID: { exitCode: exitCodes.usage, meaning: 'a file does not follow its schema' },
  FILE_UNREADABLE: { exitCode: exitCodes.usage, meaning: 'a file could not be read' },
  FILE_UNWRITABLE: {
    exitCode: exitCodes.environment,
    meaning: 'a file could not be written: permission, a read-only or full disk, or something in its place',
  },
  FILE_FOREIGN: { exitCode: exitCodes.usage, meaning: 'a file of the user lies where a stage would remove it' },
  PATH_OUTSIDE: { exitCode: exitCodes.usage, meaning: 'a path in a file climbs out of the folder it belongs to' },
  KERNEL_UNKNOWN: { exitCode: exitCodes.usage, meaning: 'no kernel of that name is declared' },
  APP_CONFLICT: {
    exitCode: exitCodes.usage,
    meaning: 'another app of the same name made what would be written over',
  },
  APP_NOT_FOUND: { exitCode: exitCodes.usage, meaning: 'the program of the app could not be started' },
  APP_BUILD_FAILED: { exitCode: exitCodes.usage, meaning: 'the build command of the app failed' },
  APP_FAILED: { exitCode: exitCodes.usage, meaning: 'the app exited with an error before what was asked was captured' },
  TOOL_CONFLICT: {
    exitCode: exitCodes.usage,
    meaning: 'another tool holds the place of the capture agent in the app',
  },
  NO_AGENT: {
    exitCode: exitCodes.usage,
    meaning: 'the app never loaded the capture agent: it did not use the runtime of the device',
  },
  APP_STATIC: {
    exitCode: exitCodes.usage,
    meaning: 'the program of the app is statically linked: the capture agent cannot be loaded into it',
  },
  APP_ENVIRONMENT_DROPPED: {
    exitCode: exitCodes.usage,
    meaning: 'a wrapper started the app, or a process of it, without the environment that loads the capture agent',
  },
  RUNTIME_OTHER: {
    exitCode: exitCodes.usage,
    meaning: 'the app loaded another runtime than the one of the chosen device',
  },
  FORKED_AFTER_INIT: {
    exitCode: exitCodes.usage,
    meaning: 'a forked process used the GPU that its parent had opened, which no runtime supports',
  },
  DESCRIPTORS_CLOSED: {
    exitCode: exitCodes.usage,
    meaning: 'the app closed the descriptors of the capture agent with all others, and could not be seen from then on',
  },
  NO_QUEUE: { exitCode: exitCodes.usage, meaning: 'the app created no queue or context on the device' },
  NO_DISPATCH: { exitCode: exitCodes.usage, meaning: 'the app launched no kernel' },
  NO_MATCH: { exitCode: exitCodes.usage, meaning: 'no dispatch matched the selection' },
  RUNS_DIFFER: { exitCode: exitCodes.usage, meaning: 'the app did not launch the same in two runs' },
  CAPTURE_REFUSED: { exitCode: exitCodes.fail, meaning: 'the dispatch was seen but could not be captured' },
  CAPTURE_BUSY: { exitCode: exitCodes.usage, meaning: 'another process is writing this capture' },
  CAPTURE_MISSING: { exitCode: exitCodes.usage, meaning: 'there is no complete capture in the folder' },
  CAPTURE_INVALID: { exitCode: exitCodes.usage, meaning: 'the capture is damaged or of another version' },
  CHUNK_MISSING: { exitCode: exitCodes.usage, meaning: 'content of the capture is missing or corrupt' },
  SELFCHECK_MISSING: { exitCode: exitCodes.usage, meaning: 'the capture was never self-checked on this device' },
  SELFCHECK_EDITED: { exitCode: exitCodes.usage, meaning: 'selfcheck.json is not what the capture has left there' },
  SELFCHECK_FAILED: { exitCode: exitCodes.fail, meaning: 'replaying the capture does not give what the app computed' },
  VARIANT_MISSING: { exitCode: exitCodes.usage, meaning: 'the code object of the variant does not exist' },
  VARIANT_STALE: { exitCode: exitCodes.usage, meaning: 'the source was edited after the code object was built' },
  SOURCE_DEPENDS_ON_REPRODUCER: {
    exitCode: exitCodes.fail,
    meaning: 'the source asks for a file that Kernloop wrote beside it, which the app does not have',
  },
  INPUT_CHANGED: {
    exitCode: exitCodes.usage,
    meaning: 'a file that decides the result was changed while the stage ran, or after Nx had hashed it',
  },
  SYMBOL_MISSING: { exitCode: exitCodes.usage, meaning: 'the code object does not contain the captured kernel' },
  SOURCE_NOT_FOUND: { exitCode: exitCodes.usage, meaning: 'the source of the kernel was not found' },
  SOURCE_AMBIGUOUS: {
    exitCode: exitCodes.usage,
    meaning: 'several files define the kernel, and none compiles to the captured code',
  },
  SOURCE_ELSEWHERE: { exitCode: exitCodes.usage, meaning: 'the kernel was compiled from files outside the app' },
  SOURCE_NOT_BUILT: {
    exitCode: exitCodes.usage,
    meaning: 'files of the app made the kernel, but the compile database does not give it from them',
  },
  SOURCE_TRITON: {
    exitCode: exitCodes.usage,
    meaning: 'the kernel is one of Triton, and how it was compiled is not known',
  },
  SOURCE_MOVED: {
    exitCode: exitCodes.usage,
    meaning: 'the file of a Triton kernel was gone when it was compiled in the app',
  },
  SOURCE_NO_TRAIL: {
    exitCode: exitCodes.usage,
    meaning: 'nothing leads to a source of the kernel: a library, assembly, or code compiled at run time',
  },
  BUILD_NOT_SEEN: {
    exitCode: exitCodes.usage,
    meaning: 'the build was watched, and no compiler of device code was seen',
  },
  COMMAND_OVERTAKEN: {
    exitCode: exitCodes.usage,
    meaning: 'another command of Nx with another toolchain, store or --variant began in the workspace meanwhile',
  },
  COMPILE_DATABASE_INVALID: { exitCode: exitCodes.usage, meaning: 'the compile database is missing or unreadable' },
  RDC_UNSUPPORTED: {
    exitCode: exitCodes.usage,
    meaning: 'the kernel is linked with device code of several translation units',
  },
  TENSOR_OUTSIDE: { exitCode: exitCodes.usage, meaning: 'a view of a tensor reaches beyond its memory' },
  COMPILE_FAILED: { exitCode: exitCodes.fail, meaning: 'the compiler rejected the variant' },
  FORMULA_INVALID: {
    exitCode: exitCodes.usage,
    meaning: 'a formula (a constraint of tune, a grid, a block, an argument) cannot be read, or gives no such value',
  },
  TUNE_SPACE: { exitCode: exitCodes.usage, meaning: 'what tune is to search is empty, or contradicts itself' },
  TUNE_PARAMETER: {
    exitCode: exitCodes.usage,
    meaning:
      'nothing in the source, the launch or the arguments depends on a parameter of tune, or it is not clear what',
  },
  TUNE_INPUT_CHANGED: { exitCode: exitCodes.usage, meaning: 'what tune judges by was changed while it ran' },
  CANDIDATE_REFUSED: {
    exitCode: exitCodes.usage,
    meaning: 'a candidate is no candidate, holds files that it may not replace, or too many',
  },
  CANDIDATE_ID_TAKEN: { exitCode: exitCodes.usage, meaning: 'the judge knows another candidate of that id' },
  CANDIDATE_UNKNOWN: { exitCode: exitCodes.usage, meaning: 'the judge has accepted no candidate of that id' },
  JUDGE_INPUT_CHANGED: {
    exitCode: exitCodes.environment,
    meaning: 'what the judge judges by, or a program of Kernloop, was changed since it started',
  },
  JUDGE_FULL: { exitCode: exitCodes.environment, meaning: 'as many candidates wait as the judge takes' },
  JUDGE_CLOSED: { exitCode: exitCodes.environment, meaning: 'the judge is ending, and accepts no candidates' },
  JUDGE_RUNNING: {
    exitCode: exitCodes.environment,
    meaning: 'another judge serves the same home, or listens at the same address',
  },
  JUDGE_UNREACHABLE: { exitCode: exitCodes.environment, meaning: 'no judge answers at the address' },
  JUDGE_ANSWER: { exitCode: exitCodes.environment, meaning: 'the answer of the judge is not as its version gives it' },
  ADDRESS_REFUSED: { exitCode: exitCodes.usage, meaning: 'the judge cannot listen at the address' },
  TOKENS_INVALID: {
    exitCode: exitCodes.usage,
    meaning: 'others can read the file of tokens, or a line of it is no name with a token',
  },
  TOKEN_REFUSED: { exitCode: exitCodes.usage, meaning: 'the judge wants a token, and this is none of its tokens' },
  REQUEST_REFUSED: {
    exitCode: exitCodes.usage,
    meaning: 'the judge does not know the request, or it is too large, or comes from a web page',
  },
  READER_SLOW: { exitCode: exitCodes.usage, meaning: 'the reader of the events of a judge is slower than they come' },
  KEY_EXPOSED: { exitCode: exitCodes.environment, meaning: 'others can read the key that the judge signs with' },
  REPORT_FORGED: {
    exitCode: exitCodes.fail,
    meaning:
      'a report was not signed by the trusted judge, was edited, or is of another capture, source or setting than it should be',
  },
  EXPORT_UNSUPPORTED: {
    exitCode: exitCodes.usage,
    meaning: 'the format of the task has no way to say what the kernel is or works on',
  },
  TUNE_NOT_APPLIED: {
    exitCode: exitCodes.fail,
    meaning: 'the best configuration was not written into the variant, or did not pass there and was taken back',
  },
  PGO_UNSUPPORTED: {
    exitCode: exitCodes.usage,
    meaning: 'PGO does not know this language, target, or version of code objects',
  },
  PGO_NOTHING_TO_COUNT: {
    exitCode: exitCodes.usage,
    meaning: 'the kernel has no branch, or none that was to be counted: a profile says nothing of it',
  },
  PGO_BUILD_MISSING: {
    exitCode: exitCodes.usage,
    meaning: 'the code that PGO is to run was not built, or from other sources, options or profiles',
  },
  PGO_PROFILE_MISSING: { exitCode: exitCodes.usage, meaning: 'there is no profile of the kernel, or none that counts' },
  PGO_PROFILE_STALE: {
    exitCode: exitCodes.usage,
    meaning: 'the profile is of another state of the source than the one that is to be built',
  },
  DEVICE_FAULT: { exitCode: exitCodes.fault, meaning: 'the device faulted' },
  DEVICE_LIMIT: { exitCode: exitCodes.fault, meaning: 'the dispatch ran past its limit' },
  DEVICE_UNAVAILABLE: { exitCode: exitCodes.environment, meaning: 'the device is not available here' },
  ENVIRONMENT_NATIVE_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'the native programs are not installed, not built, or of another version',
  },
  ENVIRONMENT_HOME: {
    exitCode: exitCodes.environment,
    meaning: 'the user has no folder for what is kept between commands',
  },
  ENVIRONMENT_CLI_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'the client of Python found no command line of Kernloop, or one that does not start',
  },
  ENVIRONMENT_CLI_VERSION: {
    exitCode: exitCodes.environment,
    meaning: 'the command line of Kernloop is of another version than its Python package',
  },
  ENVIRONMENT_PARSER_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'the parser that finds kernels in source files cannot be loaded',
  },
  ENVIRONMENT_TRITON_VERSION: {
    exitCode: exitCodes.environment,
    meaning: 'Triton is of a version whose inner interfaces are not known here',
  },
  ENVIRONMENT_CUDA_DRIVER_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'the CUDA driver (libcuda.so.1) is not installed, or does not start',
  },
  ENVIRONMENT_CUDA_DRIVER_TOO_OLD: {
    exitCode: exitCodes.environment,
    meaning: 'the CUDA driver is older than CUDA 12.4 (550)',
  },
  ENVIRONMENT_CUDA_DRIVER_MISMATCH: {
    exitCode: exitCodes.environment,
    meaning: 'libcuda.so.1 and the kernel module of the driver are of different versions',
  },
  ENVIRONMENT_CUDA_DRIVER_FAILED: { exitCode: exitCodes.environment, meaning: 'the CUDA driver does not start' },
  ENVIRONMENT_CUDA_NO_DEVICE: { exitCode: exitCodes.environment, meaning: 'the CUDA driver sees no GPU' },
  ENVIRONMENT_CUPTI_MISSING: { exitCode: exitCodes.environment, meaning: 'CUPTI (libcupti.so) cannot be opened' },
  ENVIRONMENT_TRITON_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'no Python here has Triton, which compiles the kernel',
  },
  ENVIRONMENT_NVRTC_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'the kernel was compiled at run time, and libnvrtc is not here to compile it again',
  },
  ENVIRONMENT_CUPTI_TOO_OLD: { exitCode: exitCodes.environment, meaning: 'CUPTI is older than CUDA 12.4' },
  ENVIRONMENT_CUPTI_MISMATCH: {
    exitCode: exitCodes.environment,
    meaning: 'CUPTI and the CUDA driver do not go together',
  },
  CUPTI_BUSY: {
    exitCode: exitCodes.environment,
    meaning: 'another tool has the one subscription to CUPTI of the process',
  },
  CUPTI_NOT_PERMITTED: { exitCode: exitCodes.environment, meaning: 'the driver restricts profiling to administrators' },
  CUPTI_FAILED: { exitCode: exitCodes.environment, meaning: 'CUPTI refused a subscription' },
  SANITIZER_FAILED: { exitCode: exitCodes.environment, meaning: 'compute-sanitizer could not check a replay' },
  ENVIRONMENT_TOOL_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'a program that a stage needs is not installed',
  },
  ENVIRONMENT_LLVM_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'LLVM 22, which PGO builds with, is not installed, or only in part',
  },
  PGO_PLUGIN_FAILED: { exitCode: exitCodes.environment, meaning: 'the PGO plugin could not be built for this LLVM' },
  CUDA_KERNELS_WRONG: {
    exitCode: exitCodes.environment,
    meaning: 'the GPU kernels of Kernloop compute something else on this device than on the host',
  },
  INTERNAL_ERROR: { exitCode: exitCodes.environment, meaning: 'a bug in Kernloop' },
  NATIVE_FAILED: { exitCode: exitCodes.environment, meaning: 'a native program ended in a way it never should' },
  // Codes of the native programs.
  CAPTURE_NEWER: {
    exitCode: exitCodes.usage,
    meaning: 'the capture is of a newer major version, or requires a feature that is not known here',
  },
  CAPTURE_NOT_FOUND: { exitCode: exitCodes.usage, meaning: 'there is no complete capture in the folder' },
  CHUNK_CORRUPT: { exitCode: exitCodes.usage, meaning: 'content of the capture is not what its digest says' },
  PACK_CORRUPT: { exitCode: exitCodes.usage, meaning: 'chunks.pack is damaged' },
  PACKED_INVALID: { exitCode: exitCodes.usage, meaning: 'the file is no packed capture, or a damaged one' },
  TARGET_EXISTS: { exitCode: exitCodes.usage, meaning: 'something else is where a file or a capture would be written' },
  TRACE_INVALID: {
    exitCode: exitCodes.usage,
    meaning: 'a trace, or its probe.toml, does not add up: the field is named',
  },
  EVENTS_INVALID: { exitCode: exitCodes.usage, meaning: 'what ranks recorded inside of kernels does not add up' },
  CLOCKS_UNRELATED: {
    exitCode: exitCodes.usage,
    meaning: 'nothing says how the clocks of the ranks of a trace lie to each other',
  },
  CLOCK_UNSTEADY: { exitCode: exitCodes.usage, meaning: 'samples of the clock of a device contradict each other' },
  NOT_DISTRIBUTED: { exitCode: exitCodes.usage, meaning: 'ranks cannot be merged: they do not know of each other' },
  PTX_INVALID: { exitCode: exitCodes.usage, meaning: 'the PTX of a kernel cannot be read: the line is named' },
  TRACE_AMBIGUOUS: { exitCode: exitCodes.usage, meaning: 'a trace file can be read in several ways that differ' },
  TRACE_OFFSETS: {
    exitCode: exitCodes.usage,
    meaning: 'a trace file records other offsets than where its maps lie, and nobody said which to read by',
  },
  TRACE_MAPS: { exitCode: exitCodes.usage, meaning: 'the maps or fields asked for are not those of the trace' },
  STORE_NOT_FOUND: { exitCode: exitCodes.usage, meaning: 'there is no chunk store in the folder' },
  STORE_BUSY: { exitCode: exitCodes.usage, meaning: 'a capture is being written to the store, or another gc runs' },
  REMOTE_CREDENTIALS: {
    exitCode: exitCodes.usage,
    meaning: 'the credentials for a server are missing their form, or would be sent in clear text',
  },
  REMOTE_DENIED: { exitCode: exitCodes.usage, meaning: 'a server does not take the credentials, or wants some' },
  REMOTE_MISSING: {
    exitCode: exitCodes.usage,
    meaning: 'a server does not have what was pushed, or was never given it',
  },
  REMOTE_REFUSED: { exitCode: exitCodes.environment, meaning: 'a server answered with an error, or with a redirect' },
  REMOTE_CORRUPT: {
    exitCode: exitCodes.usage,
    meaning: 'a server gave other content than the digest it was asked for',
  },
  REMOTE_UNREACHABLE: {
    exitCode: exitCodes.environment,
    meaning: 'a server cannot be reached, broke off, or said nothing for a minute',
  },
  PUSH_NOT_ACCEPTED: {
    exitCode: exitCodes.usage,
    meaning: 'the first push of a workspace to a server, not encrypted, and nobody said that it is meant',
  },
  AGE_RECIPIENTS: {
    exitCode: exitCodes.usage,
    meaning: 'the file of public keys to encrypt for is missing or no such file',
  },
  AGE_IDENTITY: {
    exitCode: exitCodes.usage,
    meaning: 'what is encrypted was asked for without a key, or with one that it is not encrypted for',
  },
  AGE_CORRUPT: { exitCode: exitCodes.usage, meaning: 'an encrypted file is cut off or changed' },
  JSON_INVALID: { exitCode: exitCodes.usage, meaning: 'a file is not JSON' },
  CALIBRATION_FILE: {
    exitCode: exitCodes.usage,
    meaning: 'the file by which the processes of a calibration hand on their replays is damaged, or of another capture',
  },
  VARYING_INVALID: { exitCode: exitCodes.usage, meaning: 'the varying ranges of selfcheck.json are malformed' },
  RECORD_REFUTED: {
    exitCode: exitCodes.usage,
    meaning: 'the replays of the self-check held no records of the length that --record or kernel.json says',
  },
  FILE_NOT_FOUND: { exitCode: exitCodes.usage, meaning: 'a file does not exist' },
  FILE_TOO_LARGE: { exitCode: exitCodes.usage, meaning: 'a file is larger than any that Kernloop reads' },
  IO_ERROR: { exitCode: exitCodes.environment, meaning: 'reading or writing a file failed' },
  DISK_FULL: { exitCode: exitCodes.environment, meaning: 'no space left where the capture is written' },
  OUT_OF_MEMORY: { exitCode: exitCodes.environment, meaning: 'memory for the replay could not be had' },
  ADDRESS_TAKEN: { exitCode: exitCodes.environment, meaning: 'captured memory cannot be restored at its address' },
  RUNTIME_NOT_FOUND: { exitCode: exitCodes.environment, meaning: 'the runtime of the device could not be loaded' },
  RUNTIME_INCOMPLETE: {
    exitCode: exitCodes.environment,
    meaning: 'the runtime of the device lacks what a replay needs',
  },
  RUNTIME_UNSUPPORTED: {
    exitCode: exitCodes.environment,
    meaning: 'the runtime of the device lacks what a capture needs',
  },
  DEVICE_NOT_FOUND: { exitCode: exitCodes.environment, meaning: 'there is no device of the captured kind' },
  DEVICE_MISMATCH: {
    exitCode: exitCodes.environment,
    meaning: 'the device is of another kind than the captured one, or cannot run its code',
  },
  DEVICE_ERROR: { exitCode: exitCodes.environment, meaning: 'the runtime of the device reported an error' },
  CODE_OBJECT_INVALID: { exitCode: exitCodes.usage, meaning: 'the code object is malformed' },
  CODE_OBJECT_AMBIGUOUS: { exitCode: exitCodes.usage, meaning: 'several code objects of the file fit' },
  CODE_OBJECT_COMPRESSED: {
    exitCode: exitCodes.usage,
    meaning: 'the code object is in a bundle that is compressed by zlib, or in an unknown way',
  },
  PGO_PROFILE_EMPTY: { exitCode: exitCodes.usage, meaning: 'a profile of device code is empty' },
  PGO_PROFILE_TRUNCATED: {
    exitCode: exitCodes.usage,
    meaning: 'a profile of device code ends before what it says it holds',
  },
  PGO_PROFILE_MAGIC: { exitCode: exitCodes.usage, meaning: 'a file is no profile' },
  PGO_PROFILE_ENDIAN: { exitCode: exitCodes.usage, meaning: 'a profile was written with the other byte order' },
  PGO_PROFILE_VERSION: { exitCode: exitCodes.usage, meaning: 'a profile is of a version that is not read' },
  PGO_PROFILE_VARIANT: {
    exitCode: exitCodes.usage,
    meaning: 'a profile is of a kind that is not read: coverage, memory, traces',
  },
  PGO_PROFILE_INVALID: { exitCode: exitCodes.usage, meaning: 'a profile contradicts itself' },
  PGO_PROFILE_FILE: {
    exitCode: exitCodes.usage,
    meaning: 'LLVM_PROFILE_FILE has a pattern that is unknown or cannot be replaced',
  },
  PGO_SIDE_FILE_FOREIGN: { exitCode: exitCodes.usage, meaning: 'what lies beside a profile is not of the same run' },
  PGO_POOL_FOREIGN: { exitCode: exitCodes.usage, meaning: 'a run cannot be added to the profile that is there' },
  PGO_HASH_MISMATCH: {
    exitCode: exitCodes.usage,
    meaning: 'a function was not the same in two runs whose profiles are to be merged',
  },
  PGO_ARCH_MIXED: { exitCode: exitCodes.usage, meaning: 'profiles of several architectures cannot be merged' },
  PGO_VARIANT_MIXED: {
    exitCode: exitCodes.usage,
    meaning: 'profiles of several kinds of instrumentation cannot be merged',
  },
  PGO_MEASURE_MIXED: {
    exitCode: exitCodes.usage,
    meaning: 'profiles with several wave sizes or rules of uniformity cannot be merged',
  },
  PGO_SAMPLING_MIXED: {
    exitCode: exitCodes.usage,
    meaning: 'profiles that were sampled in several ways cannot be merged',
  },
  PGO_RENAME_COLLISION: { exitCode: exitCodes.usage, meaning: 'a renaming would give two functions one name' },
  PGO_NOT_INSTRUMENTED: { exitCode: exitCodes.usage, meaning: 'what was read back from the device holds no counters' },
  PGO_RUNTIME_CONFIG: { exitCode: exitCodes.usage, meaning: 'what an app under pgo-runtime is told cannot be read' },
  PGO_RUNTIME_SOURCE: {
    exitCode: exitCodes.usage,
    meaning: 'a program that is compiled at run time cannot be compiled once more: its text, a header or its target',
  },
  PGO_RUNTIME_VARIABLES: {
    exitCode: exitCodes.usage,
    meaning: 'a program that is compiled at run time has variables, which other code of it would have once more',
  },
  CODE_OBJECT_TARGET: { exitCode: exitCodes.usage, meaning: 'the code object is for another target' },
  CODE_OBJECT_VERSION: { exitCode: exitCodes.usage, meaning: 'the code object is of an unsupported version' },
  CODE_OBJECT_RELOCATION: {
    exitCode: exitCodes.usage,
    meaning: 'the code object needs a relocation that is not supported',
  },
  CODE_OBJECT_UNDEFINED: { exitCode: exitCodes.usage, meaning: 'the code object uses a symbol that is not defined' },
  LAUNCH_REFUSED: {
    exitCode: exitCodes.usage,
    meaning: 'the device does not launch the captured code, or no device could launch the geometry that was asked for',
  },
  LAUNCH_IMPOSSIBLE: {
    exitCode: exitCodes.fail,
    meaning: 'the variant cannot be launched as the app launches it (for validate a FAIL), or not with the overrides',
  },
  ARGUMENT_UNKNOWN: { exitCode: exitCodes.usage, meaning: 'the kernel has no such argument' },
  ARGUMENT_UNTYPED: { exitCode: exitCodes.usage, meaning: 'the type of the argument is not known, or not its size' },
  ARGUMENT_VALUE: { exitCode: exitCodes.usage, meaning: 'the value is none of the type of the argument' },
  CAPTURE_UNSUPPORTED: {
    exitCode: exitCodes.usage,
    meaning: 'the captured launch has an attribute that this version does not know',
  },
  CODE_OBJECT_REFUSED: { exitCode: exitCodes.usage, meaning: 'the runtime refused the code object' },
  CODE_OBJECT_UNREADABLE: {
    exitCode: exitCodes.fail,
    meaning: 'the code object of the kernel could not be read in the app',
  },
  CAPTURE_MISMATCH: {
    exitCode: exitCodes.usage,
    meaning: 'the capture is of another kernel than the reproducer, or of other code',
  },
  KERNARG_MISMATCH: {
    exitCode: exitCodes.usage,
    meaning: 'the variant takes other arguments than the captured kernel',
  },
  PROBES_INVALID: {
    exitCode: exitCodes.usage,
    meaning: 'the software GPU does not take what probes ask for',
  },
  PROBE_UNSUPPORTED: {
    exitCode: exitCodes.usage,
    meaning: 'a probe cannot run on this kernel or device: which, and why, is said',
  },
  PROBE_MAPS_TOO_LARGE: {
    exitCode: exitCodes.usage,
    meaning: 'the records that probes want have no room; the records of each map are named',
  },
  PTX_UNAVAILABLE: {
    exitCode: exitCodes.usage,
    meaning: 'there is no PTX of the kernel to rewrite: why is said',
  },
  LENS_INVALID: {
    exitCode: exitCodes.usage,
    meaning: 'the file of a lens is malformed, or names what the variant does not have, or what is not its own',
  },
  VARIABLE_MISSING: {
    exitCode: exitCodes.usage,
    meaning: 'the variant lacks a module variable that the kernel changes',
  },
  VARIABLE_SIZE: { exitCode: exitCodes.usage, meaning: 'a module variable has another size in the variant' },
  BYTE_BUDGET: { exitCode: exitCodes.fail, meaning: 'the capture would be larger than its byte budget' },
  DRAIN_LIMIT: { exitCode: exitCodes.fail, meaning: 'work before the dispatch did not end within the limit' },
  HOLD_LIMIT: { exitCode: exitCodes.fail, meaning: 'the other queues could not be held within the limit' },
  HOST_CALL: {
    exitCode: exitCodes.fail,
    meaning: 'the kernel prints or asserts, for which it waits for the program that a capture holds',
  },
  RUN_LIMIT: { exitCode: exitCodes.fail, meaning: 'the captured dispatch did not end within the limit' },
  SCOPE_VIOLATION: { exitCode: exitCodes.fail, meaning: 'the dispatch reached memory outside the captured scope' },
  CUPTI_TAKEN: {
    exitCode: exitCodes.usage,
    meaning: 'a profiler in the app holds CUPTI, which takes one subscriber a process',
  },
  CUPTI_MISSING: { exitCode: exitCodes.environment, meaning: 'no CUPTI library that works with the driver was found' },
  UNSUPPORTED_LAUNCH: { exitCode: exitCodes.fail, meaning: 'the kernel was launched in a way that is not captured' },
  GRAPH_LAUNCH: {
    exitCode: exitCodes.fail,
    meaning: 'the kernel was launched as a node of a graph out of which it cannot be taken; the text says why',
  },
  CAPTURE_DEFERRED: {
    exitCode: exitCodes.fail,
    meaning: 'the launch was recorded into a graph (its stream was capturing) and did not run then',
  },
  COLLECTIVE: {
    exitCode: exitCodes.fail,
    meaning: 'the kernel is part of a collective (NCCL, NVSHMEM) and waits for other GPUs or processes',
  },
  TEXTURE_OBJECT: {
    exitCode: exitCodes.fail,
    meaning: 'the kernel reads textures or surfaces, which are not in the capture',
  },
  UNTRACKED_MEMORY: {
    exitCode: exitCodes.fail,
    meaning:
      'an argument leads to memory whose allocation was not seen or is of an unsupported kind, and --untracked-memory refuse was asked for',
  },
  IPC_MEMORY: { exitCode: exitCodes.fail, meaning: 'the kernel reaches memory of another process' },
  AMBIGUOUS_CODE_OBJECT: {
    exitCode: exitCodes.fail,
    meaning: 'several loaded code objects define the kernel, and which one ran is not known',
  },
  LAUNCHES_NOT_COUNTED: {
    exitCode: exitCodes.fail,
    meaning: 'the agent left the app once nothing was left to capture: counts are of the launches before that',
  },
  KERNEL_ARGUMENTS: { exitCode: exitCodes.fail, meaning: 'the arguments of the launch could not be read' },
  LAUNCH_FAILED: { exitCode: exitCodes.fail, meaning: 'the launch that was to be captured failed in the app' },
  MODULE_VARIABLE: { exitCode: exitCodes.fail, meaning: 'a module variable of the kernel could not be found' },
  VARIABLE_UNKNOWN: { exitCode: exitCodes.fail, meaning: 'the address of a module variable is not known' },
  TOO_MANY_VARIABLES: { exitCode: exitCodes.fail, meaning: 'the code object has more module variables than fit' },
  READ_FAILED: { exitCode: exitCodes.fail, meaning: 'memory of the app could not be read' },
  NO_SIGNAL: { exitCode: exitCodes.fail, meaning: 'the runtime has no signal left' },
  SELECTION_CONFLICT: { exitCode: exitCodes.fail, meaning: 'two selections want the same dispatch in different ways' },
  RECORDER_LOST: { exitCode: exitCodes.fail, meaning: 'the recorder ended in the middle of the capture' },
  RECORDER_FAILED: { exitCode: exitCodes.environment, meaning: 'the recorder could not go on' },
  INJECTION_EMPTY: { exitCode: exitCodes.usage, meaning: 'nothing of the capture is compared byte for byte' },
  AGENT_LOST: { exitCode: exitCodes.fail, meaning: 'the app ended in the middle of the capture' },
  UNKNOWN_KERNEL: { exitCode: exitCodes.fail, meaning: 'a kernel was launched whose code the agent has not seen' },
  AGENT_FAILED: { exitCode: exitCodes.fail, meaning: 'the agent inside the app could not go on' },
  AGENT_PROTOCOL: { exitCode: exitCodes.environment, meaning: 'agent and recorder do not understand each other' },
  SANDBOX_UNAVAILABLE: {
    exitCode: exitCodes.environment,
    meaning: 'programs cannot be confined on this machine: no Landlock, or a container that forbids it',
  },
  UNSUPPORTED_TARGET: { exitCode: exitCodes.usage, meaning: 'the device has no support for this target' },
  UNSUPPORTED_OPTION: { exitCode: exitCodes.usage, meaning: 'the device has no such option' },
  SLURM_MISSING: { exitCode: exitCodes.environment, meaning: 'the programs of Slurm are not on this machine' },
  SLURM_REJECTED: {
    exitCode: exitCodes.usage,
    meaning: 'Slurm did not take the job: no such partition, account or resource, or more than it allows',
  },
  SLURM_UNREACHABLE: {
    exitCode: exitCodes.environment,
    meaning: 'the controller of Slurm does not answer; what became of a job is not known, and its result is not taken',
  },
  SLURM_QUEUE_WAIT: {
    exitCode: exitCodes.environment,
    meaning: 'the job waited in the queue for longer than "queueMinutes", and was cancelled',
  },
  SLURM_TIME_LIMIT: { exitCode: exitCodes.environment, meaning: 'the job ran into its time limit' },
  SLURM_PREEMPTED: { exitCode: exitCodes.environment, meaning: 'the job was preempted, as often as it was tried' },
  SLURM_REQUEUED: { exitCode: exitCodes.environment, meaning: 'the job was put back into the queue by somebody' },
  SLURM_NODE_FAILED: { exitCode: exitCodes.environment, meaning: 'the job lost its node, as often as it was tried' },
  SLURM_CANCELLED: { exitCode: exitCodes.environment, meaning: 'the job was cancelled from outside' },
  SLURM_MEMORY: { exitCode: exitCodes.environment, meaning: 'the job used more memory than Slurm gave it' },
  SLURM_VANISHED: {
    exitCode: exitCodes.environment,
    meaning: 'Slurm does not know the job any more, and it left no answer',
  },
  SLURM_JOB_FAILED: { exitCode: exitCodes.environment, meaning: 'the job ended without an answer; the text says how' },
  SLURM_PATH_HIDDEN: {
    exitCode: exitCodes.environment,
    meaning: 'the node does not see a path that the task needs; the text names it',
  },
  SLURM_NO_RESULT: {
    exitCode: exitCodes.environment,
    meaning: 'the job ended well, and its answer did not come into the workspace',
  },
  INTERRUPTED: { exitCode: exitCodes.interrupted, meaning: 'stopped by a signal' },
});

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
