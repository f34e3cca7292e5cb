import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture, type Fixture } from '../lib/generate/testing/fixture';
import { partsOf } from '../lib/stage/either';
import { stageNames, stages, verbWords, type StageName } from '../lib/stages/registry';
import type { Deps } from '../lib/deps/deps';
import { rawChunks } from '../lib/remote/testing/raw-chunks';
import { memoryServer } from '../lib/remote/testing/memory-server';
import { bareHip } from '../lib/testing/bare-hip';
import { fakeDeps, type FakeProgram } from '../lib/testing/fake-deps';
import { difference, differed, fakeRecorder, fakeReplay, passed } from '../lib/testing/fake-programs';
import {
  appRecorder,
  installFakes,
  pgoPrograms,
  realCodeObject,
  writeApp,
  writeRecipe,
} from '../lib/pgo/testing/fake-llvm';
import { checkedOutput } from '../lib/testing/published-schema';
import { realArchive } from '../lib/testing/real-archive';
import { TestWorkspace, writeReproducer } from '../lib/testing/workspace';
import { behaving, compilerOf, fakeHipcc, honest, writeTunable } from '../lib/tune/testing/fake-candidates';
import { writtenTrace } from '../lib/trace/testing/written-trace';
import { writeTraceFolder } from '../lib/trace/write-folder';
import { main } from './main';

jest.setTimeout(120_000);

/** Verbs whose documents were checked. */
const seen = { result: new Set<string>(), error: new Set<string>(), options: new Set<string>() };

let workspace: TestWorkspace;
let stdout = '';

beforeEach(() => {
  workspace = new TestWorkspace();
  stdout = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => ((stdout += String(chunk)), true));
  jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
  workspace.dispose();
});

/** Runs a verb with --json; its output must be one document that follows the schema shipped for that verb. */
async function kernloop(verb: StageName, args: readonly string[], deps: Partial<Deps> = {}) {
  process.exitCode = undefined;
  await main(['node', 'kernloop', ...verbWords(verb), ...args, '--json'], deps);
  const document = checkedOutput(verb, stdout);
  const code = Number(process.exitCode ?? 0);
  for (const [shape, verbs] of Object.entries(seen)) if (shape in document) verbs.add(verb);
  if (!('options' in document)) expect(document['exit_code']).toBe(code);
  return { code, document };
}

function faking(programs: Readonly<Record<string, FakeProgram>>): Deps {
  return fakeDeps({ ldd: () => 1, program: () => 0, ...programs }, workspace.native);
}

const archive = (event: object, code = 0): FakeProgram => {
  return ({ print }) => {
    print(event);
    return code;
  };
};

describe('--json', () => {
  it('init', async () => {
    workspace.write('mine/run.py', '');
    const { document } = await kernloop('init', [workspace.path('mine')]);
    expect(document).toMatchObject({
      result: { written: true, config: { name: 'mine', command: ['python3', 'run.py'] } },
    });
  });

  it('watch-build', async () => {
    const source = workspace.write('app/k.cu', '');
    const make: FakeProgram = ({ options }) => {
      const record = [`d${workspace.app}`, 'x/opt/nvcc', 'anvcc', 'a-c', 'ak.cu', 'eCPATH=/x', ''].join('\0');
      writeFileSync(join(options.env?.['KERNLOOP_WATCH_DIR'] ?? '', '1-2.command'), record);
      return 0;
    };
    const { document } = await kernloop('watch-build', ['--app', workspace.app, '--command', 'make'], faking({ make }));
    expect(document).toMatchObject({ result: { compiled: 1, kept: 0, device_units: 1 } });
    expect(JSON.parse(workspace.read('app/.kernloop/watched/compile_commands.json'))).toEqual([
      {
        directory: workspace.app,
        file: source,
        output: join(workspace.app, 'k.o'),
        arguments: ['/opt/nvcc', '-c', 'k.cu'],
      },
    ]);
  });

  it('profile', async () => {
    const row = {
      name: 'saxpy(float*, float)',
      symbol: '_Z5saxpyPff',
      code_object: 'c',
      unit: 'wave_instructions',
      ...{ dispatches: 2, total: 100, min: 40, p10: 40, median: 50, p90: 60, max: 60, registers_per_thread: 32 },
      geometries: [{ grid_blocks: [4, 1, 1], block_threads: [64, 1, 1], dispatches: 2, registers_per_thread: 32 }],
    };
    const recorder = fakeRecorder({
      play: () => undefined,
      summary: { dispatches: 2, kernels: [], kernel_profile: [row] },
    });
    const { document } = await kernloop('profile', [workspace.app], faking({ 'kernloop-recorder': recorder }));
    expect(document).toMatchObject({ exit_code: 0, result: { kernels: [{ symbol: '_Z5saxpyPff', share: 1 }] } });
  });

  it('declare', async () => {
    const { document } = await kernloop('declare', ['late', '--match', '^step', '--app', workspace.app]);
    expect(document).toMatchObject({ result: { declared: { name: 'late', ordinal: 1 }, launched: null } });
  });

  it('kernels', async () => {
    writeReproducer(workspace);
    const { document } = await kernloop('kernels', [workspace.app]);
    expect(document).toMatchObject({
      result: { apps: [{ kernels: [{ reproducer: 'kernels/app/saxpy', verdict: null }] }] },
    });
  });

  it('capture', async () => {
    const deps = faking({ 'kernloop-recorder': fakeRecorder(), 'kernloop-replay': fakeReplay() });
    const { document } = await kernloop('capture', ['--app', workspace.app], deps);
    expect(document).toMatchObject({ result: { captures: [{ name: 'saxpy', selfcheck: { verdict: 'verified' } }] } });
  });

  it('capture passes the exit code of the app on, and says so', async () => {
    const programs = { 'kernloop-recorder': fakeRecorder(), 'kernloop-replay': fakeReplay(), program: () => 9 };
    const { code, document } = await kernloop('capture', ['--app', workspace.app], faking(programs));
    expect(code).toBe(9);
    expect(document).toMatchObject({ exit_code: 9, result: { app_exit_code: 9 } });
  });

  it('extract, of a kernel without source', async () => {
    const deps = faking({ 'kernloop-recorder': fakeRecorder(), 'kernloop-replay': fakeReplay() });
    const { document } = await kernloop('extract', ['--app', workspace.app], deps);
    expect(document).toMatchObject({
      result: { kernels: [{ name: 'saxpy', generated: { language: 'none', no_source: { code: 'SOURCE_NO_TRAIL' } } }] },
    });
  });

  describe('of a kernel with its source', () => {
    let made: Fixture;
    beforeAll(() => {
      made = fixture({
        sources: { 'k.hip': `${bareHip.header}\n__global__ void k(float* x) { x[threadIdx.x] = 1.0f; }\n` },
        commands: { 'k.hip': `-O3 ${bareHip.options.join(' ')} --offload-arch=gfx90a` },
        ...{ captured: 'k.hip', symbol: '_Z1kPf', name: 'k(float*)' },
      });
    });
    afterAll(() => rmSync(made.workspace, { recursive: true, force: true }));

    it('generate, adopt and recompile', async () => {
      const generated = await kernloop('generate', ['k', '--app', made.app]);
      expect(generated.document).toMatchObject({ result: { identical: true, source: 'apps/demo/k.hip' } });
      stdout = '';
      const adopted = await kernloop('adopt', [made.reproducer]);
      expect(adopted.document).toMatchObject({ result: { different: [], reset: [] } });
      stdout = '';
      const { document } = await kernloop('recompile', [made.reproducer]);
      expect(document).toMatchObject({ result: { unchanged: true, sources: ['kernel_variant.hip'] } });
    });
  });

  it('tune', async () => {
    const reproducer = writeReproducer(workspace);
    writeTunable(workspace);
    const programs = { hipcc: fakeHipcc, 'kernloop-replay': behaving(honest) };
    const deps = fakeDeps(programs, workspace.native, { env: compilerOf(workspace) });
    const { document } = await kernloop('tune', [reproducer, '--set', 'kRows=2,8'], deps);
    expect(document).toMatchObject({
      result: { candidates: [{ parameters: { kRows: 8 }, status: 'pass' }, { is_base: true }, {}] },
    });
  });

  it('judge', async () => {
    const reproducer = writeReproducer(workspace);
    writeTunable(workspace);
    const programs = { hipcc: fakeHipcc, 'kernloop-archive': realArchive, 'kernloop-replay': behaving(honest) };
    const deps = fakeDeps(programs, workspace.native, { env: compilerOf(workspace) });
    const candidate = workspace.write('right.hip', workspace.read('kernels/app/saxpy/kernel_variant.hip'));
    const home = workspace.path('home');
    const words = [candidate, '--reproducer', reproducer, '--home', home, '--unsandboxed'];
    const { code, document } = await kernloop('judge', words, deps);
    expect([code, document]).toMatchObject([0, { result: { judgements: [{ verdict: 'pass', ratio: 1 }] } }]);
    const [report = ''] = (document as { result: { reports: string[] } }).result.reports;
    stdout = '';
    const verified = await kernloop('verify-report', [report, '--home', home, '--reproducer', reproducer], deps);
    expect([verified.code, verified.document]).toMatchObject([0, { result: { reproducer: 'saxpy' } }]);
  });

  it('export-task', async () => {
    const reproducer = writeReproducer(workspace);
    const words = [reproducer, '--format', 'agent-kernel-arena', '--output', workspace.path('task')];
    const { code, document } = await kernloop('export-task', words, fakeDeps({}, workspace.native));
    expect([code, document]).toMatchObject([0, { result: { kernel: 'saxpy' } }]);
  });

  it('replay', async () => {
    const counters = { wave_instructions: 10 };
    const events = [
      { event: 'iteration', index: 0, counters },
      { ...passed, verdict: 'ran' },
    ];
    const deps = faking({ 'kernloop-replay': fakeReplay(() => events) });
    const { document } = await kernloop('replay', [writeReproducer(workspace)], deps);
    expect(document).toMatchObject({ result: { verdict: 'ran', counters: { wave_instructions: { median: 10 } } } });
  });

  it('trace-run', async () => {
    const replayed = fakeReplay((args) => {
      const output = args[args.indexOf('--probes-output') + 1] ?? '';
      if (!args.includes('--probes-output')) return [passed];
      mkdirSync(output, { recursive: true });
      writeFileSync(join(output, 'block_sched.bin'), Buffer.alloc(16 * 16));
      writeFileSync(join(output, 'block_sched.counts.bin'), Buffer.alloc(4 * 16, 1));
      const map = { name: 'block_sched', units: 16, unit_bytes: 16, kept: 16, dropped: 0 };
      const files = { file: 'block_sched.bin', counts_file: 'block_sched.counts.bin' };
      return [{ event: 'probes', wave_size: 64, maps: [{ ...map, ...files }] }, passed];
    });
    const { code, document } = await kernloop(
      'trace-run',
      [writeReproducer(workspace)],
      faking({ 'kernloop-replay': replayed }),
    );
    expect([code, document]).toEqual([0, expect.objectContaining({ verb: 'trace-run' })]);
    expect(document).toMatchObject({
      result: { launches: [{ maps: [{ name: 'block_sched', units: 16, kept: 16 }] }] },
    });
  });

  it.each([
    ['passes', [passed], 0],
    ['fails', [difference, differed], 1],
    ['is vacuous', [{ ...passed, verdict: 'vacuous', changed_bytes: 0 }], 3],
    [
      'faults',
      [
        { event: 'fault', kind: 'memory' },
        { ...passed, verdict: 'fault' },
      ],
      4,
    ],
  ])('validate that %s: a bad verdict is a result, not an error', async (_name, events, expected) => {
    const deps = faking({ 'kernloop-replay': fakeReplay(() => events) });
    const { code, document } = await kernloop('validate', [writeReproducer(workspace)], deps);
    expect([code, document['result']]).toEqual([expected, expect.objectContaining({ exit_code: expected })]);
  });

  describe('of PGO', () => {
    let codeObject: Buffer;
    beforeAll(() => {
      codeObject = realCodeObject();
    });

    it('instruments, generates, merges, builds, uses and shows', async () => {
      const reproducer = writeReproducer(workspace);
      writeRecipe(workspace);
      const deps = fakeDeps(pgoPrograms(codeObject), workspace.native, { env: installFakes(workspace) });
      const results: [StageName, string[], object][] = [
        ['pgo-instrument', [reproducer], { counters: 2, up_to_date: false }],
        ['pgo-generate', [reproducer], { dispatches: [{ verdict: 'pass' }] }],
        ['pgo-merge', [reproducer], { counters: 2 }],
        ['pgo-build', [reproducer], { up_to_date: false }],
        ['pgo-use', [reproducer], { subject: 'reproducer', kept: 'wave' }],
        ['pgo-show', [reproducer], { spills_of: 'wave' }],
      ];
      for (const [verb, args, result] of results) {
        stdout = '';
        expect((await kernloop(verb, args, deps)).document).toMatchObject({ result });
      }
    });

    it('does the same with an app', async () => {
      const programs = { ...pgoPrograms(codeObject, writeApp(workspace)), 'kernloop-recorder': appRecorder(() => 10) };
      const deps = fakeDeps(programs, workspace.native, { env: installFakes(workspace) });
      const results: [StageName, object][] = [
        ['pgo-instrument', { subject: 'app', units: 2 }],
        ['pgo-generate', { files: ['app-1.amdgcn-amd-amdhsa.c0.profraw'] }],
        ['pgo-merge', { counters: 2 }],
        ['pgo-build', { builds: [{ name: 'base' }, {}, {}, {}, {}] }],
        ['pgo-use', { subject: 'app', kept: null }],
        ['pgo-runtime', { programs: [{ own: 1, counting: 2, production: 3 }] }],
      ];
      for (const [verb, result] of results) {
        stdout = '';
        expect((await kernloop(verb, [workspace.app], deps)).document).toMatchObject({ result });
      }
    });
  });

  it.each([
    [
      'verify',
      {
        event: 'store_verified',
        ...{
          chunks: 1,
          bytes_stored: 10,
          captures: 1,
          damaged_count: 1,
          missing_count: 0,
          missing: [],
          unreadable: [],
        },
        damaged: [{ sha256: 'a', message: 'flipped', captures: ['c'] }],
      },
      1,
    ],
    [
      'gc',
      {
        event: 'store_collected',
        ...{ dry_run: false, captures: 1, chunks_kept: 2, bytes_kept: 2, chunks_recent: 0, bytes_recent: 0 },
        ...{ chunks_removed: 1, bytes_removed: 10 },
      },
      0,
    ],
    [
      'stats',
      {
        event: 'store_stats',
        ...{ chunks: 1, bytes_stored: 1, bytes_raw: 1, chunks_shared: 0, bytes_shared: 0, chunks_unused: 0 },
        ...{ bytes_unused: 0, unreadable: [] },
        captures: [{ path: 'p', kernel: 'k', chunks: 1, bytes_stored: 1, bytes_own: 1, chunks_missing: 0 }],
      },
      0,
    ],
  ])('store %s', async (action, event, expected) => {
    workspace.write('.kernloop/store/.keep', '');
    const deps = faking({ 'kernloop-archive': archive(event, expected) });
    const { code, document } = await kernloop('store', [action, '--workspace', workspace.root], deps);
    expect([code, document['result']]).toEqual([expected, { ...event, store: workspace.path('.kernloop', 'store') }]);
  });

  it('pack and unpack', async () => {
    const reproducer = writeReproducer(workspace);
    const common = { capture_sha256: 'ab', chunks: 2, bytes: 10 };
    const packing = faking({ 'kernloop-archive': archive({ event: 'packed', ...common }) });
    const file = workspace.path('a.klcap');
    const packed = await kernloop('pack', [reproducer, '--output', file], packing);
    expect(packed.document).toMatchObject({ result: { file, capture_sha256: 'ab' } });
    stdout = '';
    const unpacking = faking({ 'kernloop-archive': archive({ event: 'unpacked', outcome: 'repaired', ...common }) });
    const { document } = await kernloop('unpack', [file, '--to', reproducer], unpacking);
    expect(document).toMatchObject({ result: { outcome: 'repaired', capture: join(reproducer, 'capture') } });
  });

  it('push and pull', async () => {
    const reproducer = writeReproducer(workspace);
    const server = await memoryServer();
    const deps = () => faking({ 'kernloop-archive': rawChunks(Buffer.alloc(0)) });
    const pushed = await kernloop('push', [reproducer, '--remote', server.url, '--accept'], deps());
    expect(pushed.document).toMatchObject({ result: { remote: server.url, captures: [{ folder: 'capture' }] } });
    stdout = '';
    const { document } = await kernloop('pull', [reproducer, '--remote', server.url], deps());
    await server.close();
    expect(document).toMatchObject({ result: { captures: [{ capture: join(reproducer, 'capture') }] } });
  });

  it('report, of a reproducer of which little is known', async () => {
    const { code, document } = await kernloop('report', [writeReproducer(workspace)]);
    expect([code, document['result']]).toEqual([0, expect.objectContaining({ of: 'reproducer' })]);
  });

  it('doctor, on a machine without anything', async () => {
    rmSync(workspace.native.replay);
    const { code, document } = await kernloop('doctor', [], fakeDeps({}, workspace.native));
    expect([code, document['result']]).toEqual([5, expect.objectContaining({ exit_code: 5 })]);
  });

  describe('of traces', () => {
    const columns = [{ name: 'x', sum: '0x1', least: '0x0', most: '0x1', nonzero: 1 }];
    const total = { name: 'x', sum: '0x1', is_beyond: false, units: 1, least_block: '0x0', most_block: '0x1' };
    const section = { bytes: 96, offset: 64, recorded_offset: 64, units_written: 2, units: 2, is_ragged: false };
    const inspected = {
      ...{ event: 'trace', dialect: 'warp-div', grid: [3, 1, 1], block: [40, 1, 1], shared_bytes: 0, blocks: 3 },
      ...{ threads: 40, file_bytes: 96, has_wrong_offsets: false, sections: [section] },
    };
    const answers: Record<string, (output: string) => object> = {
      inspect: () => inspected,
      summary: () => ({ event: 'map', name: 'bytes', rows: 3, columns }),
      totals: () => ({ event: 'totals', blocks: 3, columns: [total] }),
      export: (output) => {
        const file = join(output, 'bytes.csv');
        writeFileSync(file, 'x\n1\n');
        return { event: 'exported', name: 'bytes', rows: 1, skipped: 0, files: [file] };
      },
    };
    const program: FakeProgram = ({ args, print }) => {
      print(answers[args[0] ?? '']?.(args[args.indexOf('--output') + 1] ?? '') ?? { event: 'unknown' });
      return 0;
    };

    it.each<[StageName, string[], object]>([
      ['trace-read', ['{trace}'], { results: [{ dialect: 'warp-div', maps: [{ rows: 3 }] }] }],
      ['trace-gen', ['{trace}/probe.toml', '--language', 'c', '--output', '{trace}/read.h'], { language: 'c' }],
      ['trace-export', ['{trace}', '--format', 'csv', '--output', '{trace}/out'], { files: [{ rows: 1 }] }],
      ['trace-analyze', ['{trace}', '--map', 'bytes', '--analysis', 'totals'], { analyses: [{ map: 'bytes' }] }],
    ])('%s', async (verb, args, result) => {
      const folder = writeTraceFolder(workspace.path('traces'), writtenTrace);
      const given = args.map((word) => word.replace('{trace}', folder));
      const { code, document } = await kernloop(verb, given, faking({ 'kernloop-trace': program }));
      expect([code, document]).toEqual([0, expect.objectContaining({ result: expect.objectContaining({}) as object })]);
      expect(document).toMatchObject({ result });
    });
  });

  describe('of a failure', () => {
    it.each<[StageName, string[], string, number]>([
      ['profile', ['/'], 'CONFIG_MISSING', 2],
      ['capture', ['nothing', '--app', '{app}'], 'KERNEL_UNKNOWN', 2],
      ['generate', ['saxpy', '--app', '{app}'], 'CAPTURE_MISSING', 2],
      ['extract', ['--app', '{app}', '--device', 'none'], 'USAGE', 2],
      ['adopt', ['/'], 'CAPTURE_MISSING', 2],
      ['recompile', ['/'], 'CONFIG_MISSING', 2],
      ['replay', ['/', '--iterations', 'many'], 'USAGE', 2],
      ['validate', ['/'], 'CONFIG_MISSING', 2],
      ['pgo-show', ['/'], 'CONFIG_MISSING', 2],
      ['report', ['/'], 'CONFIG_MISSING', 2],
      ['tune', ['/'], 'CONFIG_MISSING', 2],
      ['judge', ['a.hip', '--reproducer', '/', '--unsandboxed'], 'CONFIG_MISSING', 2],
      ['verify-report', ['{app}/none.json'], 'ENVIRONMENT_HOME', 5],
      ['export-task', ['/', '--format', 'flashinfer-bench', '--output', '{app}/task'], 'CONFIG_MISSING', 2],
      ['pgo-instrument', ['/'], 'CONFIG_MISSING', 2],
      ['pgo-generate', ['/'], 'CONFIG_MISSING', 2],
      ['pgo-merge', ['/'], 'CONFIG_MISSING', 2],
      ['pgo-build', ['/'], 'CONFIG_MISSING', 2],
      ['pgo-use', ['/'], 'CONFIG_MISSING', 2],
      ['pgo-instrument', ['--app', '/'], 'CONFIG_MISSING', 2],
      ['pgo-generate', ['{app}'], 'PGO_BUILD_MISSING', 2],
      ['pgo-merge', ['{app}'], 'PGO_PROFILE_MISSING', 2],
      ['pgo-build', ['{app}'], 'PGO_PROFILE_MISSING', 2],
      ['pgo-use', ['--app', '{app}'], 'PGO_PROFILE_MISSING', 2],
      ['pgo-runtime', ['/'], 'CONFIG_MISSING', 2],
      ['store', ['stats', '--workspace', '{app}'], 'STORE_NOT_FOUND', 2],
      ['init', ['/nowhere'], 'USAGE', 2],
      ['kernels', ['/nowhere'], 'USAGE', 2],
      ['declare', ['late', '--app', '/'], 'CONFIG_MISSING', 2],
      ['watch-build', ['make', '--app', '/'], 'CONFIG_MISSING', 2],
      ['pack', ['/'], 'CONFIG_MISSING', 2],
      ['unpack', [], 'USAGE', 2],
      ['push', ['/'], 'CONFIG_MISSING', 2],
      ['pull', ['/'], 'CONFIG_MISSING', 2],
      ['trace-read', ['{app}'], 'USAGE', 2],
      ['trace-run', ['{app}'], 'CONFIG_MISSING', 2],
      ['trace-gen', ['{app}/probe.toml'], 'FILE_NOT_FOUND', 2],
      ['trace-export', ['{app}', '--output', '{app}/out'], 'USAGE', 2],
      ['trace-analyze', ['{app}'], 'USAGE', 2],
      ['doctor', ['--fast'], 'USAGE', 2],
    ])('%s %j gives its code, message, hint and exit code', async (verb, args, errorCode, exitCode) => {
      const { code, document } = await kernloop(
        verb,
        args.map((word) => word.replace('{app}', workspace.app)),
        fakeDeps({}, workspace.native),
      );
      expect(code).toBe(exitCode);
      expect(document).toMatchObject({ verb, error: { code: errorCode, message: /./, hint: /./ } });
    });

    it('says INTERNAL_ERROR for a bug of ours, as JSON too', async () => {
      const run = (): never => {
        throw new TypeError('undefined is not a function');
      };
      const deps = { ...fakeDeps({}, workspace.native), run };
      const { code, document } = await kernloop('validate', [writeReproducer(workspace)], deps);
      expect([code, document['error']]).toEqual([5, expect.objectContaining({ code: 'INTERNAL_ERROR' })]);
    });

    it.each([[['captur']], [[]]])('has a schema of its own where no verb is understood: %j', async (words) => {
      await main(['node', 'kernloop', ...words, '--json'], fakeDeps({}, workspace.native));
      expect(checkedOutput('kernloop', stdout)).toMatchObject({ verb: null, error: { code: 'USAGE' } });
      expect(process.exitCode).toBe(2);
    });
  });

  const projects = { app: 'app', reproducer: 'kernels/app/saxpy' } as const;
  const required: Partial<Record<StageName, string[]>> = {
    judge: ['kernel_variant.hip'],
    'verify-report': ['report.json'],
    'export-task': ['--format', 'agent-kernel-arena', '--output', 'task'],
    generate: ['saxpy'],
    declare: ['late'],
    store: ['gc'],
    'trace-read': ['trace'],
    'trace-export': ['trace', '--output', 'out'],
    'trace-analyze': ['trace'],
    unpack: ['a.klcap'],
  };

  it.each(stageNames)('%s --print-config', async (verb) => {
    writeReproducer(workspace);
    for (const { project } of partsOf(stages[verb])) {
      stdout = '';
      const place =
        project === 'app' || project === 'reproducer' ? [`--${project}`, workspace.path(projects[project])] : [];
      const { code } = await kernloop(verb, [...(required[verb] ?? []), ...place, '--print-config']);
      expect(code).toBe(0);
    }
  });

  it('was checked for every verb that there is, result, error and options', () => {
    const all = new Set<string>(stageNames);
    expect(seen).toEqual({ result: all, error: all, options: all });
  });

  it('would be noticed if a verb printed what its schema does not name, or left something out', () => {
    const good = { schema: 'kernloop.output/1', verb: 'pack', exit_code: 0 };
    const result = { file: '/a', capture_sha256: 'b', chunks: 1, bytes: 1, encrypted: false };
    const check = (document: object) => checkedOutput('pack', JSON.stringify(document));
    expect(check({ ...good, result })).toMatchObject({ verb: 'pack' });
    expect(() => check({ ...good, result: { ...result, size: 1 } })).toThrow('additionalProperty');
    expect(() => check({ ...good, result: { ...result, bytes: Number.NaN } })).toThrow('bytes');
    expect(() => check({ ...good, verb: 'unpack', result })).toThrow('verb');
    expect(() => check({ ...good, error: { code: 'not found', message: 'm', hint: 'h' } })).toThrow('code');
  });
});
