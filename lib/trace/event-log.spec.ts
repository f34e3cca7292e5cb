import { overheadOf, parseEventLog } from './event-log';

const log = (lines: readonly string[]): ReturnType<typeof parseEventLog> =>
  parseEventLog(Buffer.from(`${lines.join('\n')}\n`));

/** A run logged by the driver of main: a kernel is probed, launched, saved and passed to a callback. */
const run = [
  '[init] pid 4711',
  '[init] cmd 15 python train.py',
  '[init] dl 0x55d0c0ffee00',
  '[init] success',
  '[bin] type warpped_fatbin size 81920',
  '[mod] cuModuleLoadData 0 module 0x55d0c1 image 0x7f00 ',
  '[mod] cuModuleGetFunction func 0x55d0f1 mod 0x55d0c1 name _Z5saxpyPff',
  '[mem] cuMemAlloc_v2 0 dptr 7f5e00000000 bytesize 4194304',
  '[exec] funcmap-not-find 0x55d0f1',
  '[probe] find 0x55d0f1 name _Z5saxpyPff bin 0x7f00 size 81920',
  '[probe] rename _Z5saxpyPff 0_bf524e8c48fdebc3962c3b36823d8d68b093ebb6',
  '[probe] mkdir /tmp/trace/Nov22_093015_4711/kernel/0_bf524e8c48fdebc3962c3b36823d8d68b093ebb6',
  '[probe] python succeed',
  '[probe] read /tmp/kernel.info name _Z5saxpyPff n_param 2 n_probe 1 ',
  '[probe] finish 0x55d0f1 name _Z5saxpyPff n_param 2',
  '[exec] funcmap-find 0x55d0f1 success',
  '[exec] 1755000000123456789 param 7f5e00000000 ffffffff3f800000 ',
  '[exec] grid 4096 1 1 block 256 1 1 shared 0',
  '[count] size: 48 ',
  '[exec] grid 4096 warp  8 probe 16 total 524288',
  '[exec] grid 4096 block 256 probe 48 total 50331648',
  '[exec] probe-mem 524288 (bytes)',
  '[exec] succeed 0',
  '[exec] save /tmp/trace/result/1.250000.bin size 524336',
  '[exec] prologue 234.090000 kernel 0.065500 epilogue 2.710000 ratio 3616.267176',
  '[callback] subproc /usr/bin/python3 block_sched_callback.py /tmp/trace/result/1.250000.bin',
  '[callback] succeed',
];

describe('event.log', () => {
  it('of a run of the current driver has no unknown line, and tells of the launch', () => {
    const { events, unknown, launches } = log(run);
    expect(unknown).toEqual([]);
    expect(events).toHaveLength(run.length);
    expect(launches).toEqual([
      {
        function: '0x55d0f1',
        kernel: '_Z5saxpyPff',
        timeNs: 1755000000123456789n,
        parameters: [0x7f5e00000000n, 0xffffffff3f800000n],
        grid: [4096, 1, 1],
        block: [256, 1, 1],
        sharedBytes: 0,
        mapBytes: 524288,
        countedBytes: 48,
        saved: { path: '/tmp/trace/result/1.250000.bin', bytes: 524336 },
        times: { prologue: 234.09, kernel: 0.0655, epilogue: 2.71, original: null },
        callback: 'succeed',
        outcome: 'done',
      },
    ]);
    expect(overheadOf(launches).ratio).toBeCloseTo((234.09 + 0.0655 + 2.71) / 0.0655, 9);
  });

  it.each([
    ['HIP', '[mod] hipModuleLoadData mod 0x1 code 0x2'],
    ['HIP', '[mod] hipModuleGetFunction func 0x1 mod 0x2 name k'],
    ['HIP', '[mod] hipModuleLoad 0 mod 7f00 name (null)'],
    ['HIP', '[mem] hipMalloc 0 dptr 7f00 bytesize 16'],
    ['HIP', '[jit] read /t/kernel.info name k n_param 3 n_probe 1 analyze_hook '],
    ['the artifact', '[jit] read /t/kernel.info name k n_param 3 n_probe 1 trace_hook a.py'],
    ['the artifact', '[analyze] subproc python a.py b.bin'],
    ['the artifact', '[pid] 12'],
    ['the artifact', '[cmd] 8 python a'],
    ['the artifact', '[info] init success'],
    ['the first driver', '[Mod] cuLibraryLoadData unrecognize 7'],
    ['the first driver', '[mod] cuModuleLoadData 0 module 0x1 image 0x2 type ptx, size 12'],
    ['the first driver', '[exec] maxAccessPerBlock 3 alloc 12 (KB)'],
    ['the first driver', '[binmap] get 0x1 key 0x2 not-found'],
    ['a benchmark', '[benchmark] ENABLED L2 Flush Size 268435456'],
    ['a verbose build', '[info] cuCtxGetDevice 0'],
    ['the loader', '[pass] cuGetProcAddress_v2 0 cuLaunchKernel 12000 return-ours'],
    ['a null pointer', '[mod] cuKernelGetFunction (nil) (nil)'],
    ['a name with spaces', '[probe] rename void f<(int)3>(float*, int) 12_bf524e8c48fdebc3962c3b36823d8d68b093ebb6'],
  ])('knows what %s writes: %s', (_who, line) => {
    expect(log([line]).unknown).toEqual([]);
  });

  it('names lines of no known form, with their number', () => {
    const { unknown } = log(['[init] pid 1', '[exec] grid x', 'no tag', '[other] pid 1']);
    expect(unknown.map(({ line }) => line)).toEqual([2, 3, 4]);
  });

  it('takes names that have no end, and bytes that are no UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('[init] cmd 8 python a\xff\xfe\x01', 'latin1'),
      Buffer.from('\n\xc3\x28 more of it\n[mod] cuModuleGetFunction func 0x1 mod 0x2 name kernel\xf0\x9f\n', 'latin1'),
      Buffer.from('[init] success\n'),
    ]);
    const { events, unknown } = parseEventLog(bytes);
    expect(unknown).toEqual([]);
    expect(events.map(({ event }) => event)).toEqual(['command', 'function', 'ready']);
    expect(events[0]?.parts['command']).toBe('python a');
    expect(events[1]?.parts['name']).toMatch(/^kernel/);
  });

  it('puts the arguments of a launch together where another thread wrote in between', () => {
    const { launches, unknown, events } = log([
      '[exec] 5 param 7f00 [mem] cuMemAlloc_v2 0 dptr 7f11 bytesize 16',
      'aa bb ',
      '[exec] grid 1 1 1 block 32 1 1 shared 0',
    ]);
    expect(unknown).toEqual([]);
    expect(events.map(({ event }) => event)).toEqual(['launch', 'allocate', 'geometry']);
    expect(launches[0]).toMatchObject({ parameters: [0x7f00n, 0xaan, 0xbbn], block: [32, 1, 1] });
  });

  it('gives each of two launches whose lines are mixed its own', () => {
    const { launches } = log([
      '[exec] 5 param 1 ',
      '[exec] 6 param 2 ',
      '[exec] grid 1 1 1 block 32 1 1 shared 0',
      '[exec] grid 2 1 1 block 64 1 1 shared 0',
      '[exec] succeed 0',
      '[exec] failed 700',
      '[exec] save a.bin size 12',
      '[exec] prologue 1.000000 kernel 2.000000 epilogue 1.000000 ratio 2.000000',
    ]);
    expect(launches.map(({ grid, outcome, saved }) => [grid?.[0], outcome, saved?.path])).toEqual([
      [1, 'done', 'a.bin'],
      [2, 'failed', undefined],
    ]);
  });

  it('tells by how much probes slow a kernel where the driver measured it', () => {
    const line = '[benchmark] prologue 1.000000 kernel 3.000000 epilogue 1.000000 original 2.000000 impact 1.500000 0';
    const { launches } = log(['[exec] 5 param ', '[exec] succeed 0', line]);
    expect(overheadOf(launches)).toEqual({ launches: 1, ratio: 5 / 3, slowdown: 1.5 });
  });
});
