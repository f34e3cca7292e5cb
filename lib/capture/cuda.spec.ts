import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { cudaDevice, fakeCudaReplay, fakeLock, fakeRecorder, type RecorderScript } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { capture } from './capture';
import { readNvrtcJson } from '../archive/nvrtc-json';
import { captureOptionsSchema } from './options';

describe('capture on the cuda device', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const options = (overrides: object = {}) =>
    captureOptionsSchema.parse({ app: workspace.app, device: 'cuda', ...overrides });

  function deps(recorder: RecorderScript = {}, env = {}, app: FakeProgram = () => 0): FakeDeps {
    const programs = {
      ldd: () => 1,
      sh: fakeLock,
      program: app,
      'kernloop-recorder': fakeRecorder(recorder),
      'kernloop-replay': fakeCudaReplay(),
    };
    return fakeDeps(programs, workspace.native, { env });
  }

  const nothing = (): void => undefined;
  const refusal = (summary: object, ...notes: { code: string; text: string }[]): RecorderScript => ({
    play: (_config, print) => notes.forEach((note) => print({ event: 'note', ...note })),
    summary,
  });

  it('loads its own agent into the app, and no other', async () => {
    const fake = deps();
    await capture(options({ gpu: '0' }), fake);
    const env = fake.calls.find(({ program }) => program === 'program')?.env;
    expect(env).toMatchObject({
      CUDA_INJECTION64_PATH: workspace.native.agentCuda,
      CUDA_VISIBLE_DEVICES: cudaDevice.uuid,
    });
    expect(env).not.toHaveProperty('HSA_TOOLS_LIB');
    expect(env).not.toHaveProperty('LD_LIBRARY_PATH');
  });

  it('keeps the program that the app compiled the kernel from at run time', async () => {
    workspace.write('native/lib/libkernloop-nvrtc.so', {});
    const program = {
      ...{ schema: 'kernloop.nvrtc-program/1', version: [13, 0], name: null, source: '', headers: [], options: [] },
      name_expressions: ['f<1>'],
    };
    let folder = '';
    const fake = deps({}, { KERNLOOP_NVRTC_RECORD: 'on' }, ({ options: { env } }) => {
      folder = env?.['KERNLOOP_NVRTC_DIR'] ?? '';
      if (folder === '') return 1; // without a folder nothing is recorded, not even into the current one
      writeFileSync(join(folder, '7-0.json'), JSON.stringify(program));
      writeFileSync(join(folder, '7-0.ptx'), `.visible .entry _Z5saxpyPff(\n`);
      return 0;
    });
    const { captures } = await capture(options(), fake);
    expect(fake.calls.find(({ program: name }) => name === 'program')?.env).toMatchObject({
      LD_AUDIT: workspace.native.nvrtcAudit,
    });
    expect(readNvrtcJson(captures[0]?.output ?? '')).toMatchObject({
      matched_by: 'symbol',
      name_expressions: ['f<1>'],
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('checks the capture after the app has given its memory back', async () => {
    const fake = deps();
    const { captures } = await capture(options(), fake);
    const order = fake.calls.map(({ program, args }) => (args.includes('--describe-device') ? 'describe' : program));
    expect(order.lastIndexOf('program')).toBeLessThan(order.indexOf('kernloop-replay'));
    expect(captures).toMatchObject([{ selfcheck: { verdict: 'verified', replays: 4 } }]);
  });

  it('warns of a capture from another GPU than the one that replays it', async () => {
    const geometry = { grid_blocks: [1], block_threads: [32], attributes: { device_ordinal: 1 } };
    const fake = deps({ json: { geometry } });
    await capture(options(), fake);
    expect(fake.said.warn.join()).toContain('captured on GPU 1');
    const first = deps({ json: { geometry: { ...geometry, attributes: { device_ordinal: 0 } } } });
    await capture(options(), first);
    expect(first.said.warn).toEqual([]);
  });

  it('holds the lock of the GPU over the run and the check', async () => {
    const fake = deps();
    await capture(options(), fake);
    const lock = fake.calls.findIndex(({ program }) => program === 'sh');
    expect(lock).toBeGreaterThanOrEqual(0);
    expect(lock).toBeLessThan(fake.calls.findIndex(({ program }) => program === 'program'));
    expect(fake.calls[lock]?.args[2]).toContain(cudaDevice.uuid);
  });

  it.each([
    ['the shell', { CUDA_INJECTION64_PATH: '/opt/nsys/tool.so' }, {}],
    ['kernloop.json', {}, { CUDA_INJECTION64_PATH: '/opt/nsys/tool.so' }],
  ])('names a profiler that %s has put into the app, and starts nothing', async (_name, env, appEnv) => {
    workspace.write('app/kernloop.json', {
      name: 'app',
      command: ['./program'],
      env: appEnv,
      kernels: [{ name: 'saxpy', match: 'saxpy' }],
    });
    const fake = deps({}, env);
    const error = await failure(capture(options(), fake));
    expect(error).toMatchObject({ code: 'TOOL_CONFLICT', exitCode: 2 });
    expect(error.what).toContain('/opt/nsys/tool.so');
    const started = fake.calls.map(({ program }) => program);
    expect(started).not.toContain('program');
    expect(started).not.toContain('kernloop-recorder');
  });

  it.each([
    ['no driver', { processes: 0, queues: 0, dispatches: 0, kernels: [] }, 'NO_AGENT', 'never loaded the CUDA driver'],
    ['no context', { queues: 0, dispatches: 0, kernels: [] }, 'NO_QUEUE', 'created no contexts'],
    ['no launch', { dispatches: 0, kernels: [] }, 'NO_DISPATCH', 'launched no kernel'],
  ])('says in the words of CUDA what was missing: %s', async (_name, summary, code, text) => {
    const error = await failure(capture(options(), deps({ play: nothing, summary })));
    expect(error).toMatchObject({ code });
    expect(error.what).toContain(text);
    expect(error.what + error.hint).not.toMatch(/HSA|HIP|queue/);
  });

  it('says that kernels were launched only inside of graphs', async () => {
    const note = { code: 'GRAPH_LAUNCH', text: '12 graph launches' };
    const error = await failure(capture(options(), deps(refusal({ dispatches: 0, kernels: [] }, note))));
    expect(error).toMatchObject({ code: 'GRAPH_LAUNCH', exitCode: 1 });
    expect(error.what).toContain('12 graph launches');
  });

  it('says that the wanted kernel was launched only inside of graphs, beside others that were not', async () => {
    const note = { code: 'GRAPH_LAUNCH', text: '_Z5saxpyPff was made 2 time(s) a node of a CUDA graph' };
    const kernels = [{ name: 'other()', dispatches: 3 }];
    const wanted = options({ match: '^_Z5saxpy' });
    expect(await failure(capture(wanted, deps(refusal({ kernels }, note))))).toMatchObject({ code: 'GRAPH_LAUNCH' });
    const others = await failure(capture(options({ match: '^_Z5gemm' }), deps(refusal({ kernels }, note))));
    expect(others).toMatchObject({ code: 'NO_MATCH' });
  });

  it('says why no node of a graph could be captured, where its launches counted', async () => {
    const note = { code: 'GRAPH_LAUNCH', text: '_Z5saxpyPff ran as a node of a CUDA graph: it has conditional nodes' };
    const kernels = [{ name: '_Z5saxpyPff', dispatches: 3 }];
    const wanted = options({ match: '^_Z5saxpy' });
    const error = await failure(
      capture(wanted, deps(refusal({ kernels, selections: [{ id: 'saxpy', matches: 3 }] }, note))),
    );
    expect(error).toMatchObject({ code: 'GRAPH_LAUNCH' });
    expect(error.what).toMatch(/no dispatch of it could be captured: .*conditional nodes/);
  });

  it.each([
    ['CUPTI_TAKEN', 'a profiler has CUPTI', 2],
    ['CUPTI_MISSING', 'CUPTI cannot be opened', 5],
    ['ENVIRONMENT_CUPTI_TOO_OLD', 'CUPTI 11', 5],
  ])('says that the agent could not work in the app: %s', async (code, text, exitCode) => {
    const none = { queues: 0, dispatches: 0, kernels: [] };
    const error = await failure(capture(options(), deps(refusal(none, { code, text }))));
    expect(error).toMatchObject({ code, exitCode });
    expect(error.what).toContain(text);
  });

  it.each([
    ['before the dispatch', []],
    ['in the middle of the capture', [{ event: 'refused', id: 'saxpy', code: 'AGENT_LOST', reason: 'lost', hint: '' }]],
  ])('says that the app closed the descriptors of the agent %s', async (_when, events) => {
    const note = { event: 'note', code: 'DESCRIPTORS_CLOSED', text: 'the program closed the descriptors' };
    const play: RecorderScript['play'] = (_config, print) => [note, ...events].forEach((event) => print(event));
    const error = await failure(capture(options(), deps({ play, summary: { dispatches: 3, kernels: [] } })));
    expect(error).toMatchObject({ code: 'DESCRIPTORS_CLOSED', exitCode: 2 });
  });

  it('says when it counted only the first launches', async () => {
    const note = { code: 'LAUNCHES_NOT_COUNTED', text: 'the agent left after the last capture' };
    const kernels = [{ name: 'other()', dispatches: 3 }];
    const error = await failure(capture(options(), deps(refusal({ kernels }, note))));
    expect(error).toMatchObject({ code: 'NO_MATCH' });
    expect(error.what).toContain('none of the at least 3 dispatches');
    expect(error.what).toContain('the agent left');
  });

  it.each([
    ['CUPTI_TAKEN', 2],
    ['GRAPH_LAUNCH', 1],
    ['CAPTURE_DEFERRED', 1],
    ['COLLECTIVE', 1],
    ['TEXTURE_OBJECT', 1],
    ['UNTRACKED_MEMORY', 1],
    ['IPC_MEMORY', 1],
    ['AMBIGUOUS_CODE_OBJECT', 1],
    ['DRAIN_LIMIT', 1],
  ])('passes the refusal %s on with its reason', async (code, exitCode) => {
    const refused = { event: 'refused', id: 'saxpy', code, reason: 'because', hint: 'do that' };
    const error = await failure(capture(options(), deps({ play: (_config, print) => print(refused) })));
    expect(error).toMatchObject({ code, exitCode, hint: 'do that' });
    expect(error.what).toContain('because');
  });
});
