import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { mapsArgument, type TraceMap } from '../lib/trace/probe-file';
import { makeTrace } from '../lib/trace/testing/make-trace';
import { eventSchemas, nativePrograms } from './native-events';

const build = join(__dirname, '..', 'native', 'build');
const golden = join(__dirname, '..', 'native', 'archive', 'test', 'golden', 'capture-v1');
const codeObjects = join(__dirname, '..', 'native', 'codeobject', 'test', 'data');
const folder = mkdtempSync(join(tmpdir(), 'kernloop-events-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Event {
  readonly event: string;
}

/** Events that each program printed, by its name. */
const seen = new Map<string, Event[]>(nativePrograms.map(({ name }) => [name, []]));

function take(program: string, lines: string): void {
  for (const line of lines.split('\n').filter(Boolean)) seen.get(program)?.push(JSON.parse(line) as Event);
}

interface Given {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Standard output of a program, however it ends. */
function outputOf(name: string, args: readonly string[], { input = '', env = {} }: Given = {}): Promise<string> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 1 << 28, env: { ...process.env, ...env } };
    const { stdin } = execFile(join(build, 'bin', name), args, options, (_, stdout) => resolve(stdout));
    // A program that reads no input may have closed it.
    stdin?.on('error', () => undefined).end(input);
  });
}

/** A native test hands on the events of the program that it tests (native/base/testing/seen_events.h). */
async function runTest(name: string, filter = '*'): Promise<void> {
  const env = { KERNLOOP_TEST_EVENTS: at('seen') };
  expect(await outputOf(name, [`--gtest_filter=${filter}`], { env })).toMatch(
    /\[ {2}PASSED {2}\] [1-9]\d* tests?\.\n$/,
  );
}

async function run(program: string, args: readonly string[], input: string | Buffer = ''): Promise<void> {
  take(program, await outputOf(program, args, { input }));
}

/** Every verb on the golden capture, and a store from which a chunk is gone. */
async function runArchive(): Promise<void> {
  const archive = (words: string, input = ''): Promise<void> => run('kernloop-archive', words.split(' '), input);
  const chunks = readFileSync(join(golden, 'capture.json'), 'utf8').match(/\b[0-9a-f]{64}\b/g) ?? [];
  const store = at('store');
  mkdirSync(at('chunks'));
  mkdirSync(at('roots'));
  await archive(`info ${golden}`);
  await archive(`verify ${golden}`);
  await archive(`code-object ${golden} --output ${at('code')}`);
  await archive(`pack ${golden} --output ${at('packed')}`);
  await archive(`unpack ${at('packed')} --output ${at('roots')}/capture`);
  await archive(`export-chunks ${golden} --output ${at('chunks')}`, `${[...new Set(chunks)].join('\n')}\n`);
  await archive(`import-chunks ${at('chunks')} --output ${store}`);
  await archive(`store-stats ${store} --root ${at('roots')}`);
  await archive(`store-gc ${store} --root ${at('roots')} --dry-run`);
  for (const file of ['baseline.hsaco', 'allocates.hsaco', 'cubin/calls.sm_90.cubin'])
    await run('kernloop-archive', ['describe'], readFileSync(join(codeObjects, file)));
  cpSync(golden, at('damaged'), { recursive: true });
  const pack = readFileSync(join(golden, 'chunks.pack'));
  writeFileSync(join(at('damaged'), 'chunks.pack'), pack.fill(0, 100, 200));
  await archive(`verify ${at('damaged')}`);
  rmSync(at('roots/capture/chunks.pack'), { force: true });
  mkdirSync(at('roots/unreadable'));
  writeFileSync(at('roots/unreadable/capture.json'), '{');
  const [first = '', second = ''] = readdirSync(store, { recursive: true })
    .map(String)
    .filter((name) => /[0-9a-f]{60}/.test(name));
  rmSync(join(store, first));
  writeFileSync(join(store, second), 'other');
  await archive(`store-verify ${store} --root ${at('roots')}`);
  await archive(`store-stats ${store} --root ${at('roots')}`);
}

const accesses: TraceMap = {
  ...{ name: 'accesses', level: 'warp', size: 32, capacity: 2 },
  fields: [
    { name: 'clock', type: 'u64' },
    { name: 'addr', type: 'u64' },
    { name: 'start', type: 'u64' },
    { name: 'elapsed', type: 'u32' },
    { name: 'cuid', type: 'u32' },
  ],
};

/** Every verb on one trace: two blocks, each on a processor of its own. */
async function runTrace(): Promise<void> {
  const file = at('trace.bin');
  mkdirSync(at('exported'));
  const value = (_: number, block: number, unit: number, record: number, field: number): bigint =>
    [1000n + BigInt(10 * unit + record), 0x1000n * BigInt(unit + 1), 100n + BigInt(unit), 10n, BigInt(block)][field] ??
    0n;
  writeFileSync(file, makeTrace('warp-div', { grid: [2, 1, 1], block: [64, 1, 1] }, [accesses], value));
  const probe = { schema: 'current', registers: null, callback: null, probes: [], maps: [accesses] } as const;
  const trace = (...args: string[]): Promise<void> =>
    run('kernloop-trace', [args[0] ?? '', file, '--maps', mapsArgument(probe), ...args.slice(1)]);
  await trace('inspect');
  await trace('summary');
  await trace('export', '--format', 'csv', '--output', at('exported'));
  for (const verb of ['block-sched', 'heat-map', 'totals', 'progress']) await trace(verb, '--map', 'accesses');
  await trace('dmat', '--map', 'accesses', '--output', at('dmat'));
  await trace('totals', '--map', 'nothing');
}

/** Native tests that print events; slow ones that print what others do are left out. */
const nativeTests: readonly (readonly [string, string?])[] = [
  ['replay_softgpu_test', '-*ThroughHip:*RefusesManifests*:*AtTheTimeLimit:*HipRuntimeIsFound*'],
  ['replay_cuda_test', '-CudaLeftovers.*:*AtTheTimeLimit:*WhereItWasDropped:*TwentyFreshProcesses'],
  ['recorder_test', '-*ProfileQuantiles*:*ThreadsAndMemory*'],
  ['replay_test', '-ReadAheadTest.*'],
  ['pgo_runtime_test', '*MeasuresThenRuns*:*CannotBeExchanged*'],
  ['softgpu_process_test', '*WorkersOfAPool*'],
  ['cuda_capture_test', '*ProfileMeasuresEveryKernel*:*ADryRun*'],
  ['archive_test', 'DroppedTest.*'],
  ['pgo_format_test', 'Program.*'],
];

beforeAll(async () => {
  mkdirSync(at('seen'));
  const tests = [...nativeTests];
  const inTurns = async (): Promise<void> => {
    for (let test = tests.shift(); test !== undefined; test = tests.shift()) await runTest(...test);
  };
  await Promise.all([inTurns(), inTurns()]);
  await runArchive();
  await runTrace();
  await run('kernloop-pgo', ['show', '--input', at('nothing')]);
  await run('kernloop-pgo-runtime', ['open', '--config', at('nothing')]);
  await run('kernloop-sandbox', ['--probe']);
  await run('kernloop-sandbox', ['--nothing']);
  await run('kernloop-nvrtc', ['--library', join(build, 'lib', 'nvrtc-fake', 'libnvrtc.so'), '--describe']);
  for (const name of readdirSync(at('seen'))) {
    take(name.slice(0, name.lastIndexOf('.')), readFileSync(join(at('seen'), name), 'utf8'));
  }
}, 300_000);

type JsonSchema = Readonly<Partial<Record<'anyOf' | 'oneOf', JsonSchema[]>>> & {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
};

/** Paths of all fields of a schema, such as `arrays.offset`. */
function declared(schema: JsonSchema, path = ''): string[] {
  const { properties = {}, anyOf = [], oneOf = [], items } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [path + name, ...declared(field, `${path}${name}.`)]),
    ...[...anyOf, ...oneOf, ...(items ? [items] : [])].flatMap((part) => declared(part, path)),
  ];
}

function printed(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => printed(one, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [path + name, ...printed(field, `${path}${name}.`)]);
}

/** Fields that other tests see, or other machines. */
const seenElsewhere: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'kernloop-replay': {
    // Memory that an H200 writes in a measurable time, and its sensors.
    checked: ['least_ns'],
    conditions: ['celsius', 'celsius.min', 'celsius.max'],
    // e2e/free-order, records
    free_order: ['arrays.indexes', 'arrays.spans'],
    varying: [
      ...['records.before', 'records.behind', 'records.spans', 'indexes', 'indexes.region', 'indexes.variable'],
      ...['indexes.offset', 'indexes.bytes', 'indexes.count', 'indexes.index_offset', 'indexes.index_bytes'],
      'indexes.index_count',
    ],
    // As those of `overwritten`.
    untouched: ['count', 'stride'],
    unused: ['count', 'stride'],
    // e2e/races
    finding: ['missing_wait', 'stale_cache'],
    // e2e/pipeline
    hot_spot: [
      ...['scratch_bytes_read', 'scratch_bytes_written', 'lds_passes', 'lds_bank_conflicts', 'lds_address_conflicts'],
    ],
  },
  // lib/toolchain/cubin-ptx.spec; code compiled with -fhip-kernel-arg-name names its arguments.
  'kernloop-archive': { described: ['ptx'], described_kernel: ['args.name'] },
  // cuda_capture_test
  'kernloop-recorder': { planned: ['geometry.attributes'], scope_violation: ['geometry.attributes'] },
  // e2e/docs: the verb `build`.
  'kernloop-pgo-runtime': { entry: ['profiles'] },
  // A kernel without Landlock.
  'kernloop-sandbox': { sandbox: ['reason'] },
};

/** Fields that any event of a program has, and one of two that name the same thing. */
function isSeen(path: string, paths: ReadonlySet<string>): boolean {
  const other = path.replace(/region$|variable$/, (name) => (name === 'region' ? 'variable' : 'region'));
  return paths.has(path) || paths.has(other) || ['side', 'pid'].includes(path);
}

describe.each(nativePrograms)('$name', (program) => {
  const schemas = eventSchemas(program);
  const events = (name?: string): readonly Event[] =>
    (seen.get(program.name) ?? []).filter(({ event }) => name === undefined || event === name);

  it('prints no event and no field that schemas/native-events.ts lacks, and each that a reader requires', () => {
    const ajv = new Ajv({ allErrors: true });
    const checks = new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));
    const wrong = events().flatMap((event) => {
      const check = checks.get(event.event);
      if (check?.(event) === true) return [];
      const why = (check?.errors ?? []).map(
        ({ dataPath, message, params }) => `${dataPath} ${message} ${JSON.stringify(params)}`,
      );
      return [`${event.event}: ${check ? why.join('; ') : 'unknown'}`];
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  it.each(Object.keys(schemas))('prints %s in a native test, with each of its fields', (name) => {
    expect(events(name).length).toBeGreaterThan(0);
    const paths = new Set(events(name).flatMap((event) => printed(event)));
    const unseen = [...new Set(declared(schemas[name] ?? {}))].filter((path) => !isSeen(path, paths));
    expect(unseen.sort()).toEqual([...(seenElsewhere[program.name]?.[name] ?? [])].sort());
  });
});
