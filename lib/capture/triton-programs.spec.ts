import { readTritonJson } from '../archive/triton-json';
import { tritonEnvironment } from '../recorder/triton-environment';
import { fakeDeps } from '../testing/fake-deps';
import { captureJson, someDigest, TestWorkspace } from '../testing/workspace';
import { keepTritonProgram, TritonRecords } from './triton-programs';

describe('what Triton was seen to do', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const text = 'c'.repeat(64);
  const compile = (change: object = {}): object => ({
    ...{
      schema: 'kernloop.triton-compile/1',
      triton: '3.6.0',
      python: '3.11.7',
      executable: '/usr/bin/python3',
      process: 7,
    },
    ...{ name: 'add', code_object: { sha256: someDigest }, target: { backend: 'hip', arch: 'gfx90a', warp_size: 64 } },
    ...{
      metadata: {},
      environment: {},
      function: { module: 'm', qualname: 'add' },
      constexprs: [],
      attributes: [],
      options: {},
    },
    parameters: [
      { name: 'x', type: '*fp32', constexpr: false },
      { name: 'n', type: 'i32', constexpr: false },
      { name: 'f', type: 'fp32', constexpr: false },
    ],
    source: {
      functions: [],
      globals: [],
      files: [{ path: '/a/m.py', code_path: 'm.py', module: 'm', package: null, is_package: false, text }],
    },
    ...change,
  });
  const launch = (pointer: string, n: number, f: number, change: object = {}): object => ({
    ...{ schema: 'kernloop.triton-launch/1', code_object: someDigest, process: 7, grid: [4, 1, 1], autotuned: false },
    grid_function: { python: null, why: 'the app gave numbers' },
    arguments: [
      { name: 'x', tensor: { dtype: 'float32', shape: [4], pointer, kind: 'torch', strides: [1] } },
      { name: 'n', value: { python: String(n) } },
      { name: 'f', value: { python: String(f) } },
    ],
    ...change,
  });
  const slot = (offset: number, size: number, kind: string, value: string): object => ({ offset, size, kind, value });
  const slots = [
    slot(0, 8, 'global_buffer', '0x1000'),
    slot(8, 4, 'by_value', '0xffffffff'),
    slot(12, 4, 'by_value', '0x3f000000'),
  ];

  const keep = (records: Readonly<Record<string, object | string>>) => {
    const kernel = { name: 'add', symbol: 'add', code_object: someDigest };
    workspace.write('capture/capture.json', captureJson({ kernel, kernarg: { slots } }));
    workspace.write('records/source-none', '');
    for (const [name, record] of Object.entries(records)) workspace.write(`records/${name}`, record);
    const deps = fakeDeps({}, workspace.native);
    keepTritonProgram(new TritonRecords(workspace.path('records')), workspace.path('capture'), deps);
    return { kept: readTritonJson(workspace.path('capture')), warned: deps.said.warn };
  };
  const source = { [`source-${text}.txt`]: 'the text' };

  it('is kept for the very code that was captured, with its text', () => {
    const other = compile({ code_object: { sha256: 'd'.repeat(64) }, triton: '3.5.1' });
    const { kept } = keep({ 'compile-7-1.json': other, 'compile-7-2.json': compile(), ...source });
    expect(kept).toMatchObject({
      compilation: { triton: '3.6.0' },
      sources: { [text]: 'the text' },
      launch: null,
      problem: null,
    });
  });

  it('is read once for all captures of a run', () => {
    for (let capture = 0; capture < 3; capture++)
      workspace.write(
        `capture-${capture}/capture.json`,
        captureJson({ kernel: { name: 'add', symbol: 'add', code_object: someDigest }, kernarg: { slots } }),
      );
    for (let process = 0; process < 4; process++) workspace.write(`records/compile-${process}.json`, compile());
    workspace.write(`records/source-${text}.txt`, 'the text');
    const records = new TritonRecords(workspace.path('records'));
    const deps = fakeDeps({}, workspace.native);
    keepTritonProgram(records, workspace.path('capture-0'), deps);
    // Reading any record again would fail from here on.
    for (let process = 0; process < 4; process++) workspace.write(`records/compile-${process}.json`, 'gone');
    for (const name of ['capture-1', 'capture-2']) keepTritonProgram(records, workspace.path(name), deps);
    expect(readTritonJson(workspace.path('capture-2'))).toEqual(readTritonJson(workspace.path('capture-0')));
    expect(deps.said.warn).toEqual([]);
  });

  it('has the launch that passed these arguments, and no other', () => {
    const { kept } = keep({
      'compile-7-1.json': compile(),
      'launch-7-2.json': launch('0x2000', -1, 0.5),
      'launch-7-3.json': launch('0x1000', 3, 0.5),
      'launch-7-4.json': launch('0x1000', -1, 0.25),
      'launch-7-5.json': launch('0x1000', -1, 0.5, { grid: [8, 1, 1] }),
      'launch-7-6.json': launch('0x1000', -1, 0.5, { autotuned: true }),
      ...source,
    });
    expect(kept?.launch).toMatchObject({ autotuned: true });
  });

  it.each([
    ['a version that is not known', { unknown_version: '9.9', known: ['3.6'] }, /uses Triton 9\.9, .* 3\.6$/],
    [
      'a record that failed',
      { kernel: 'add', failed: 'OSError: disk full' },
      /could not be recorded: OSError: disk full/,
    ],
  ])('says why there is nothing: %s', (_case, note, problem) => {
    const { kept } = keep({ 'note-7-1.json': { schema: 'kernloop.triton-note/1', ...note } });
    expect(kept).toMatchObject({ compilation: null, problem: expect.stringMatching(problem) as string });
  });

  it('says nothing of a kernel that Triton had no part in', () => {
    expect(
      keep({ 'compile-7-1.json': compile({ name: 'other', code_object: { sha256: 'd'.repeat(64) } }), ...source }).kept,
    ).toBeNull();
    workspace.write('records2/x', '');
  });

  it('has the launch of the captured process, where another passed the same addresses', () => {
    const wider = launch('0x1000', -1, 0.5, { process: 8 }) as { arguments: { tensor?: { shape: number[] } }[] };
    if (wider.arguments[0]?.tensor) wider.arguments[0].tensor.shape = [9];
    const records = { ...source, 'compile-7-1.json': compile(), 'launch-7-2.json': launch('0x1000', -1, 0.5) };
    const shapeFor = (pid: number) => {
      workspace.write('capture/observed.json', { schema: 'kernloop.observed/1', process: { pid } });
      return keep({ ...records, 'launch-8-1.json': wider }).kept?.launch?.arguments[0]?.tensor?.shape;
    };
    expect([shapeFor(7), shapeFor(8), shapeFor(9)]).toEqual([[4], [9], [4]]);
  });

  it('has what autotuners of this kernel tried, whether they tell their trials or not', () => {
    const tuning = { key: ['4'], unit: 'ms', trials: [{ configuration: {}, median: null, chosen: false }] };
    const tuned = (name: string, more: object): object => ({
      ...{
        schema: 'kernloop.triton-autotune/1',
        name,
        winners: [],
        configurations: [{ BLOCK: { python: name === 'add' ? '4' : '5' } }],
      },
      ...more,
    });
    const { kept } = keep({
      ...{ 'compile-7-1.json': compile(), ...source },
      ...{ 'autotune-7-1.json': tuned('add', {}), 'autotune-7-2.json': tuned('add', { tuning: null }) },
      ...{ 'autotune-7-3.json': tuned('add', { tuning }), 'autotune-7-4.json': tuned('other', { tuning }) },
    });
    expect([kept?.tunings, kept?.configurations]).toEqual([[tuning], [{ BLOCK: { python: '4' } }]]);
  });

  it('warns of a record that cannot be read, and keeps the capture', () => {
    const { kept, warned } = keep({ 'compile-7-1.json': '{"schema": "kernloop.tri' });
    expect([kept, warned]).toEqual([null, [expect.stringContaining('cannot be read')]]);
  });

  it('is asked for by variables that leave those of the user', () => {
    const wishes = { record: { folder: '/records', patterns: ['^add$'] }, onSoftgpu: false };
    const asked = tritonEnvironment(wishes, { PYTHONPATH: '/mine:/yours' });
    expect(asked).toEqual({
      PYTHONPATH: expect.stringMatching(/python\/shim:\/mine:\/yours$/) as string,
      KERNLOOP_TRITON_DIR: '/records',
      KERNLOOP_TRITON_MATCH: '["^add$"]',
      TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER: '0',
    });
    const own = { TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER: '1' };
    expect(tritonEnvironment(wishes, own)).toMatchObject(own);
    // Adding the variables twice changes nothing.
    expect(tritonEnvironment(wishes, asked)).toEqual(asked);
    expect(tritonEnvironment(wishes, { KERNLOOP_TRITON_RECORD: 'off' })).toEqual({});
  });

  it('is not asked for by a profile, which offers the software GPU alone, and on no other device anything', () => {
    expect(tritonEnvironment({ onSoftgpu: true }, {})).toEqual({
      PYTHONPATH: expect.stringMatching(/python\/shim$/) as string,
      KERNLOOP_TRITON_SOFTGPU: '1',
    });
    expect(tritonEnvironment({ onSoftgpu: false }, {})).toEqual({});
    expect(tritonEnvironment({ onSoftgpu: true }, { KERNLOOP_TRITON_RECORD: 'off' })).toEqual({});
  });
});
