/** Exit codes of every program of Kernloop. */
export const exitCodes = {
  pass: 0,
  fail: 1,
  usage: 2,
  vacuous: 3,
  fault: 4,
  environment: 5,
  interrupted: 130,
} as const;

interface ErrorKind {
  exitCode: number;
  meaning: string;
}

function kinds<T extends Record<string, ErrorKind>>(table: T): T {
  return table;
}

/** Every error code, its exit code and its one-line meaning: docs/reference/errors.md is generated from it. */
export const errorCodes = kinds({
  USAGE: { exitCode: exitCodes.usage, meaning: 'an option is unknown, missing or out of range' },
  CONFIG_MISSING: { exitCode: exitCodes.usage, meaning: 'kernloop.json or kernel.json was not found' },
  CONFIG_INVALID: { exitCode: exitCodes.usage, meaning: 'a file does not follow its schema' },
  FILE_UNREADABLE: { exitCode: exitCodes.usage, meaning: 'a file could not be read' },
  PATH_OUTSIDE: { exitCode: exitCodes.usage, meaning: 'a path in a file climbs out of the folder it belongs to' },
  KERNEL_UNKNOWN: { exitCode: exitCodes.usage, meaning: 'no kernel of that name is declared' },
  APP_NOT_FOUND: { exitCode: exitCodes.usage, meaning: 'the program of the app could not be started' },
  APP_BUILD_FAILED: { exitCode: exitCodes.usage, meaning: 'the build command of the app failed' },
  APP_FAILED: { exitCode: exitCodes.usage, meaning: 'the app exited with an error before what was asked was captured' },
  NO_AGENT: {
    exitCode: exitCodes.usage,
    meaning: 'the app never loaded the capture agent: it did not use the HSA runtime',
  },
  NO_QUEUE: { exitCode: exitCodes.usage, meaning: 'the app created no queue on the device' },
  NO_DISPATCH: { exitCode: exitCodes.usage, meaning: 'the app launched no kernel' },
  NO_MATCH: { exitCode: exitCodes.usage, meaning: 'no dispatch matched the selection' },
  CAPTURE_REFUSED: { exitCode: exitCodes.fail, meaning: 'the dispatch was seen but could not be captured' },
  CAPTURE_BUSY: { exitCode: exitCodes.usage, meaning: 'another process is writing this capture' },
  CAPTURE_MISSING: { exitCode: exitCodes.usage, meaning: 'there is no complete capture in the folder' },
  CAPTURE_INVALID: { exitCode: exitCodes.usage, meaning: 'the capture is damaged or of another version' },
  CHUNK_MISSING: { exitCode: exitCodes.usage, meaning: 'content of the capture is missing or corrupt' },
  SELFCHECK_MISSING: { exitCode: exitCodes.usage, meaning: 'the capture was never self-checked on this device' },
  SELFCHECK_FAILED: { exitCode: exitCodes.fail, meaning: 'replaying the capture does not give what the app computed' },
  VARIANT_MISSING: { exitCode: exitCodes.usage, meaning: 'the code object of the variant does not exist' },
  VARIANT_STALE: { exitCode: exitCodes.usage, meaning: 'the source was edited after the code object was built' },
  SYMBOL_MISSING: { exitCode: exitCodes.usage, meaning: 'the code object does not contain the captured kernel' },
  SOURCE_NOT_FOUND: { exitCode: exitCodes.usage, meaning: 'the source of the kernel was not found' },
  COMPILE_DATABASE_INVALID: { exitCode: exitCodes.usage, meaning: 'the compile database is missing or unreadable' },
  COMPILE_FAILED: { exitCode: exitCodes.fail, meaning: 'the compiler rejected the variant' },
  DEVICE_FAULT: { exitCode: exitCodes.fault, meaning: 'the device faulted' },
  DEVICE_LIMIT: { exitCode: exitCodes.fault, meaning: 'the dispatch ran past its limit' },
  DEVICE_UNAVAILABLE: { exitCode: exitCodes.environment, meaning: 'the device is not available here' },
  ENVIRONMENT_NATIVE_MISSING: { exitCode: exitCodes.environment, meaning: 'the native programs are not built' },
  ENVIRONMENT_TOOL_MISSING: {
    exitCode: exitCodes.environment,
    meaning: 'a program that a stage needs is not installed',
  },
  NATIVE_FAILED: { exitCode: exitCodes.environment, meaning: 'a native program ended in a way it never should' },
  INTERRUPTED: { exitCode: exitCodes.interrupted, meaning: 'stopped by a signal' },
});

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
