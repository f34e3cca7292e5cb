import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replayOptionsSchema } from '../replay/options';
import { openSessions, type ReplaySession } from '../replay/session';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { cudaDevice, fakeLock, fakeReplay, flag } from '../testing/fake-programs';
import { reproducerForEachTest, someDigest, writeCapture } from '../testing/workspace';
import { describeCode } from '../toolchain/described-code';
import type { ProbeRun } from './backend';
import { cudaBackend } from './cuda';
import { openProbeSet, parseProbeSet } from './probe-set';
import { assemble, shapes } from './ptx/testing/shapes';

const withPtx = assemble(shapes, '-lineinfo').cubin;
const withoutPtx = assemble('.version 8.0 .target sm_90a .address_size 64 .entry shapes() { ret; }').cubin;
/** 3 blocks of 40 threads: two warps each, the second with 8 lanes. */
const geometry = { grid_blocks: [3, 1, 1], block_threads: [40, 1, 1], group_segment_bytes: 0 };
const [threads, warps] = [120, 6];

interface LensRequest {
  buffers: { id: string; bytes: number }[];
  parameters: ({ buffer: string } | { u32: string })[];
}

describe('probes on CUDA', () => {
  const made = reproducerForEachTest();

  /** Fills each buffer with what `write` holds for it, as a probed kernel does. */
  function depsOf(write: Partial<Record<string, Buffer>> = {}, env: Record<string, string> = {}): FakeDeps {
    const bin = made.workspace.write('bin/ptxas', '');
    chmodSync(bin, 0o755);
    return fakeDeps(
      {
        sh: fakeLock,
        ptxas: ({ args }) => {
          try {
            const { cubin, said } = assemble(readFileSync(args.at(-1) ?? '', 'utf8'));
            writeFileSync(flag(args, '-o') ?? '', cubin);
            return { exitCode: 0, stderrTail: said };
          } catch (error) {
            return { exitCode: 255, stderrTail: String(error) };
          }
        },
        'kernloop-replay': fakeReplay((args) => {
          if (args.includes('--describe-device')) return [{ ...cudaDevice, isa: 'sm_90' }];
          const request = lensOf(args);
          const folder = flag(args, '--lens-output') ?? '';
          const buffers = request.buffers.map(({ id, bytes }) => {
            const content = Buffer.alloc(bytes);
            write[id]?.copy(content);
            writeFileSync(join(folder, `${id}.bin`), content);
            return { id, file: `${id}.bin`, address: '0x1000', bytes, sha256: '0'.repeat(64) };
          });
          return [
            { event: 'iteration', index: 0, duration_ns: 2500, timer: 'cupti' },
            { event: 'lens', bytes: 8, variables: [], buffers },
            { event: 'result', verdict: 'pass', compared_bytes: 64, differing_bytes: 0, lens_bytes: 8 },
          ];
        }),
      },
      made.workspace.native,
      { env: { PATH: dirname(bin), ...env } },
    );
  }

  const lensOf = (args: readonly string[]): LensRequest =>
    JSON.parse(readFileSync(flag(args, '--lens') ?? '', 'utf8')) as LensRequest;

  async function sessionOf(code: Buffer, deps: FakeDeps): Promise<ReplaySession> {
    const variant = made.workspace.path('mine.cubin');
    writeFileSync(variant, code);
    writeCapture(made.workspace, {
      device: { kind: 'cuda', identity: 'cuda-sm_90-1', isa: 'sm_90' },
      execution: {},
      geometry,
      kernel: { symbol: 'shapes', name: 'saxpy(float*, float)', code_object: someDigest },
    });
    const options = replayOptionsSchema.parse({ reproducer: made.reproducer, device: 'cuda', variant });
    return (await openSessions(options, deps, 'main')).sessions[0];
  }

  const run = (
    session: ReplaySession,
    probes: ProbeRun['probes'],
    pass: 'count' | 'trace',
    capacity: [string, number][],
  ) => ({
    ...{ session, probes, pass, capacity: new Map(capacity) },
    folder: made.workspace.path('out', pass),
  });
  const u32 = (...values: number[]): Buffer => Buffer.from(new Uint32Array(values).buffer);
  const replayed = (deps: FakeDeps) => deps.calls.filter(({ args }) => args.includes('--lens')).map(({ args }) => args);

  it('have the PTX out of the code object, and parameters behind those of the kernel', async () => {
    const deps = depsOf();
    const session = await sessionOf(withPtx, deps);
    const launch = await cudaBackend.run(run(session, openProbeSet('dmat', []), 'count', [['DMAT', 0]]), deps);
    const [args = []] = replayed(deps);
    const described = await describeCode(readFileSync(flag(args, '--code-object') ?? ''), deps);
    expect(described?.kernels.map(({ symbol, args: places }) => [symbol, places.map(({ size }) => size)])).toEqual([
      ['shapes', [8, 4, 8, 8, 4]],
    ]);
    expect(args).toContain('--compare');
    expect(flag(args, '--symbol')).toBe('shapes');
    expect(lensOf(args)).toMatchObject({
      // Maps without room keep no records, but count all of them.
      buffers: [
        { id: 'records_0', bytes: 8 },
        { id: 'counts_0', bytes: threads * 4 },
      ],
      parameters: [{ buffer: 'records_0' }, { buffer: 'counts_0' }, { u32: '0x0' }],
    });
    expect(launch.code?.registersAfter).toBeGreaterThan(launch.code?.registersBefore ?? 0);
    expect(String(launch.files['original.ptx'])).toContain('.entry shapes(');
    expect(String(launch.files['probed.ptx'])).toContain('// SAVE [DMAT]');
    expect(launch.milliseconds).toBe(0.0025);
  });

  it('assemble once for both runs, and tell what had room', async () => {
    const counts = u32(3, 0, 5, ...Array<number>(threads - 3).fill(2));
    const deps = depsOf({ counts_0: counts, records_0: Buffer.from('records') });
    const session = await sessionOf(withPtx, deps);
    const probes = openProbeSet('dmat', []);
    await cudaBackend.run(run(session, probes, 'count', [['DMAT', 0]]), deps);
    const { maps } = await cudaBackend.run(run(session, probes, 'trace', [['DMAT', 4]]), deps);
    expect(deps.calls.filter(({ program }) => program === 'ptxas')).toHaveLength(1);
    expect(lensOf(replayed(deps)[1] ?? []).parameters[2]).toEqual({ u32: '0x4' });
    const [map] = maps;
    expect(map).toMatchObject({ name: 'DMAT', level: 'thread', unitBytes: 64, kept: 3 + 4 + 234, dropped: 1 });
    expect(statSync(map?.path ?? '').size).toBe(threads * 64);
    expect(readFileSync(map?.countsPath ?? '')).toEqual(counts);
  });

  it('have a place for the last warp of a block that is no whole one', async () => {
    const counts = Buffer.from(new BigUint64Array([1n, 1n, 0n, 1n, 2n, 1n]).buffer);
    const deps = depsOf({ counts_0: counts });
    const session = await sessionOf(withPtx, deps);
    const launch = await cudaBackend.run(
      run(session, openProbeSet('block_sched', []), 'trace', [['block_sched', 1]]),
      deps,
    );
    expect(lensOf(replayed(deps)[0] ?? []).buffers).toMatchObject([
      { id: 'records_0', bytes: warps * 16 },
      { id: 'counts_0', bytes: warps * 8 },
      { id: 'exits', bytes: warps * 4 },
    ]);
    expect(launch.maps[0]).toMatchObject({ level: 'warp', unitBytes: 16, kept: 5, dropped: 1 });
    expect(readFileSync(launch.maps[0]?.countsPath ?? '')).toEqual(u32(1, 1, 0, 1, 2, 1));
  });

  it('are refused where no PTX is to be had, and why is said', async () => {
    const deps = depsOf();
    const session = await sessionOf(withoutPtx, deps);
    const found = await failure(Promise.resolve(cudaBackend.check(session, openProbeSet('dmat', []), deps)));
    expect(found.code).toBe('PTX_UNAVAILABLE');
    expect(found.what).toContain('the code object keeps none');
    expect(replayed(deps)).toEqual([]);
  });

  it('say what ptxas says of a body that it does not take', async () => {
    const deps = depsOf();
    const session = await sessionOf(withPtx, deps);
    const text = readFileSync(openProbeSet('tensorop', []).path, 'utf8').replace(
      'mov.u64 %NR0, 0;',
      'mov.u64 %NR0, %nothing;',
    );
    const found = await failure(Promise.resolve(cudaBackend.check(session, parseProbeSet(text, 'mine.toml'), deps)));
    expect(found.code).toBe('COMPILE_FAILED');
    expect(found.what).toMatch(/Arguments mismatch for instruction 'mov'.*: `mov\.u64 %NR0, %nothing;`/);
  });

  it('need an assembler', async () => {
    mkdirSync(made.workspace.path('empty'), { recursive: true });
    const nothing = made.workspace.path('empty');
    const deps = depsOf({}, { PATH: nothing, KERNLOOP_PYTHON: join(nothing, 'python3'), CUDA_HOME: nothing });
    const session = await sessionOf(withPtx, deps);
    const found = await failure(Promise.resolve(cudaBackend.check(session, openProbeSet('dmat', []), deps)));
    expect(found.code).toBe('ENVIRONMENT_TOOL_MISSING');
  });
});
