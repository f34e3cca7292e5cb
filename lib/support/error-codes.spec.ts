import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes, exitCodeMeanings, exitCodes, isErrorCode } from './error-codes';

const native = join(__dirname, '..', '..', 'native');
/** softgpu is left out: it is a runtime of its own, whose errors are HSA's. */
const folders = [
  'archive',
  'capture',
  'codeobject',
  'cuda',
  'pgo/collect',
  'pgo/format',
  'recorder',
  'replay',
  'sandbox',
  'trace',
];
const left = new Set(['test', 'tests', 'bench', 'fake']);

/** Matches `Error{"CODE", …`, `Refusal{"CODE", …`, `return {"CODE", …`, `refuse("CODE", …`. */
const pattern = /(?:Error|Refusal|return|refuse|refusal|abort|give_up|decline)\s*[({]+\s*"([A-Z][A-Z_]{3,})"\s*,/g;

/** Names of environment variables and of the CUDA driver. */
const variables = /^(KERNLOOP|CUDA|HSA|NV|NVCC|HIPCC|LLVM|LD|CPLUS)_/;
/** Codes of notes, with which the work goes on; a capability, the beginning of codes, and the value of an option. */
const notes = new Set([
  ...['TOO_MANY_KERNELS', 'TOO_MANY_PROCESSES', 'IPC_EXPORTED', 'PROGRAMMATIC_LAUNCH', 'PAGEABLE_MEMORY'],
  ...['PEER_MEMORY', 'NOT_MEASURED', 'RECORDS_DROPPED', 'QUEUE_NOT_INTERCEPTED', 'COPY_QUEUE', 'DEVICE_HEAP'],
  'QUEUE_IN_HOST_MEMORY',
  ...['PROFILE_LIMIT', 'TEXTURES_UNKNOWN', 'PGO_COUNTER_SATURATED', 'PGO_UNIFORM_LEFT_OUT', 'PGO_WAVES_LEFT_OUT'],
  ...['PGO_VALUES_LEFT_OUT', 'PGO_BINARY_IDS_LEFT_OUT', 'CAP_SYS_ADMIN', 'ENVIRONMENT_CUPTI'],
  'WAVE_INSTRUCTIONS',
]);

function sourcesBelow(folder: string, kind: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return left.has(entry.name) ? [] : sourcesBelow(path, kind);
    return kind.test(entry.name) ? [path] : [];
  });
}

describe('the table of error codes', () => {
  const codes = new Map<string, string>();
  for (const file of folders.flatMap((folder) => sourcesBelow(join(native, folder), /\.(cpp|h)$/))) {
    for (const [, code = ''] of readFileSync(file, 'utf8').matchAll(pattern)) codes.set(code, file);
  }

  it('has every code that the native programs report, so that each is documented and ends with its exit code', () => {
    expect(codes.size).toBeGreaterThan(50);
    const missing = [...codes].filter(([code]) => !isErrorCode(code)).map(([code, file]) => `${code} (${file})`);
    expect(missing).toEqual([]);
  });

  it('has every word of the native programs that is written like a code, however it becomes an error', () => {
    const words = new Set<string>();
    for (const file of folders.flatMap((folder) => sourcesBelow(join(native, folder), /\.(cpp|h|def)$/)))
      for (const [, word = ''] of readFileSync(file, 'utf8').matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g))
        words.add(word);
    // By a ternary, a variable and a constant: no pattern of calls sees these.
    expect([...words]).toEqual(
      expect.arrayContaining(['CUPTI_MISSING', 'PGO_PROFILE_TRUNCATED', 'DESCRIPTORS_CLOSED']),
    );
    const unknown = [...words].filter((word) => !isErrorCode(word) && !variables.test(word) && !notes.has(word));
    expect(unknown).toEqual([]);
    expect([...notes].filter((note) => isErrorCode(note) || !words.has(note))).toEqual([]);
  });

  it('has every code that the Python side raises', () => {
    const raised = sourcesBelow(join(__dirname, '..', '..', 'python', 'src'), /\.py$/).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:KernloopError\(|code = )\s*"([A-Z_]+)"/g)].map(
        ([, code = '']) => code,
      ),
    );
    expect(raised).toContain('ENVIRONMENT_TRITON_VERSION');
    expect(raised.filter((code) => !isErrorCode(code))).toEqual([]);
  });
});

describe('exit codes', () => {
  it('are a promise to scripts: written here a second time', () => {
    expect(exitCodes).toEqual({ pass: 0, fail: 1, usage: 2, vacuous: 3, fault: 4, environment: 5, interrupted: 130 });
    expect(Object.keys(exitCodeMeanings)).toEqual(Object.keys(exitCodes));
  });

  it.each([
    ['USAGE', 2],
    ['KERNEL_UNKNOWN', 2],
    ['NO_MATCH', 2],
    ['CAPTURE_MISSING', 2],
    ['VARIANT_STALE', 2],
    ['CAPTURE_REFUSED', 1],
    ['SELFCHECK_FAILED', 1],
    ['COMPILE_FAILED', 1],
    ['DEVICE_FAULT', 4],
    ['DEVICE_LIMIT', 4],
    ['ENVIRONMENT_NATIVE_MISSING', 5],
    ['INTERNAL_ERROR', 5],
    ['INTERRUPTED', 130],
  ] as const)('of %s is %i', (code, exitCode) => {
    expect(errorCodes[code].exitCode).toBe(exitCode);
  });

  it('of an error is never that of success, and always one of the table', () => {
    const failing = new Set<number>(Object.values(exitCodes).filter((code) => code !== exitCodes.pass));
    for (const [code, { exitCode }] of Object.entries(errorCodes))
      expect([code, failing.has(exitCode)]).toEqual([code, true]);
  });
});
