import { copyFileSync, cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeDirectory, run, type Outcome } from './harness';
import { Workspace } from './in-process';
import { addProbeApp, probeProgram, replayEvents } from './probe';

describe('bad input', () => {
  let workspace: Workspace;
  let good = '';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const app = await addProbeApp(workspace, 'good', ['once'], [{ name: 'increment', match: '^increment' }]);
    const outcome = await workspace.kernloop(['capture', '--app', app]);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    good = workspace.path('kernels/good/increment/capture');
  });
  afterAll(() => workspace.remove());

  const captureFails = async (name: string, mode: string[], match: string, extra: string[] = []) => {
    const app = await addProbeApp(workspace, name, mode, [{ name: 'increment', match }]);
    const outcome = await workspace.kernloop(['capture', '--app', app, ...extra]);
    const folder = workspace.path('kernels', name);
    const left = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
    expect(left.filter((path) => /capture\.json|partial|chunks/.test(path))).toEqual([]);
    return outcome;
  };

  it('no such kernel: lists what was seen, nearest first', async () => {
    const outcome = await captureFails('typo', ['once'], '^incremnt');
    expect([outcome.code, outcome.text]).toEqual([2, expect.stringMatching(/increment\(int\*, int\)/)]);
  });

  it('no such kernel entry: names the nearest', async () => {
    const outcome = await workspace.kernloop(['capture', '--app', 'apps/good', '--kernel', 'incremet']);
    expect([outcome.code, outcome.text]).toEqual([2, expect.stringMatching(/increment/)]);
  });

  it('an ordinal that never comes says how many dispatches matched', async () => {
    const outcome = await captureFails('ordinal', ['once'], '^increment', ['--ordinal', '3']);
    expect([outcome.code, outcome.text]).toEqual([
      2,
      expect.stringMatching(/dispatch 3 was asked for, but only 1 matched[^]*there is only dispatch 1/),
    ]);
  });

  it('an app that fails before the dispatch is an error with its exit code', async () => {
    const outcome = await captureFails('early', ['fail-before'], '^increment');
    expect([outcome.code === 0, outcome.text]).toEqual([false, expect.stringMatching(/exit(ed)?.* 7\b/)]);
  });

  it('an app that fails after it keeps the archive and passes the code on with a warning', async () => {
    const app = await addProbeApp(workspace, 'late', ['fail-after'], [{ name: 'increment', match: '^increment' }]);
    const outcome = await workspace.kernloop(['capture', '--app', app]);
    expect([outcome.code, outcome.text]).toEqual([9, expect.stringMatching(/warning/i)]);
    expect(existsSync(workspace.path('kernels/late/increment/capture/capture.json'))).toBe(true);
  });

  it('a kernel of textures is refused by its name, and its program is not told of an illegal address', async () => {
    workspace.write(
      'apps/textures/textures.hip',
      [
        '#include <hip/hip_runtime.h>',
        '#include <cstdio>',
        'struct Held { hipTextureObject_t texture; };',
        '__global__ void fetched(hipTextureObject_t t, float* x) { x[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }',
        '__global__ void held(Held h, float* x) { x[threadIdx.x] = tex2D<float>(h.texture, 0.5f, 0.5f); }',
        'int main(int count, char**) {',
        '  float* x = nullptr;',
        '  if (hipMalloc(&x, 256) != hipSuccess) return 1;',
        '  if (count > 1) held<<<1, 64>>>(Held{nullptr}, x);',
        '  else fetched<<<1, 64>>>(nullptr, x);',
        '  printf("%s\\n", hipGetErrorString(hipDeviceSynchronize()));',
        '}',
        '',
      ].join('\n'),
    );
    const folder = workspace.path('apps/textures');
    const built = await run('hipcc', ['--offload-arch=gfx90a', '-O2', 'textures.hip', '-o', 'textures'], {
      cwd: folder,
      env: { HIP_PLATFORM: 'amd' },
    });
    expect([built.code, built.text]).toEqual([0, expect.any(String)]);
    for (const [kernel, args] of [
      ['fetched', []],
      ['held', ['held']],
    ] as const) {
      const command = ['./textures', ...args];
      workspace.write('apps/textures/kernloop.json', {
        name: 'textures',
        command,
        kernels: [{ name: kernel, match: kernel }],
      });
      const { code, text } = await workspace.kernloop(['capture', '--app', 'apps/textures']);
      expect([code, text]).toEqual([1, expect.stringMatching(/reads or writes texture.*TEXTURE_OBJECT/)]);
      expect(text).not.toContain('llegalAddress');
      expect(text).toContain('the kernel reads or writes textures or surfaces (at +0x');
    }
  });

  describe('of the kernels themselves', () => {
    it('an app whose kernel faults is told so by HIP and lives, and every stage names the fault', async () => {
      const program = await probeProgram();
      const softgpu = join(nativeDirectory, 'lib', 'softgpu');
      const named =
        /memory access outside of every allocation in kernel _Z16store_to_nowherePi at pc 0x\w+ .*`\w+_store_dword .*wave 1, lane 6: write of 4 bytes at 0x123456780000: .*allocation at 0x/;
      const alone = await run(program, ['fault'], {
        env: { LD_LIBRARY_PATH: softgpu, LD_PRELOAD: 'libkernloop-hip.so' },
      });
      expect([alone.code, alone.stderr]).toEqual([23, expect.stringMatching(named)]);
      expect(alone.stdout).toBe('probe fault: hipErrorIllegalAddress, later hipErrorIllegalAddress\n');

      const app = await addProbeApp(workspace, 'fault', ['fault'], [{ name: 'store', match: '^store_to_nowhere' }]);
      const captured = await workspace.kernloop(['capture', '--app', app]);
      expect([captured.code, captured.text]).toEqual([4, expect.stringMatching(named)]);
      expect(captured.text).toContain('probe fault: hipErrorIllegalAddress');
      expect(existsSync(workspace.path('kernels/fault/store/capture/capture.json'))).toBe(false);
      const profiled = await workspace.kernloop(['profile', '--app', app]);
      expect([profiled.code, profiled.text]).toEqual([4, expect.stringMatching(/exit(ed)?.* 23\b/)]);
    });

    it('the checker names kernel, instruction and lane of each mistake that hardware lets pass', async () => {
      const app = await addProbeApp(workspace, 'mistakes', ['mistakes'], []);
      const program = await probeProgram();
      const checked = (checks: string | undefined) =>
        run(program, ['mistakes'], {
          env: { LD_LIBRARY_PATH: join(nativeDirectory, 'lib', 'softgpu'), KERNLOOP_SOFTGPU_CHECK: checks },
        });
      const silent = await checked(undefined);
      expect([silent.code, silent.text]).toEqual([0, expect.not.stringContaining('check:')]);

      const options = { env: { KERNLOOP_SOFTGPU_CHECK: 'all' } };
      const { code, text } = await workspace.kernloop(['profile', '--app', app], options);
      const found = text.split('\n').filter((line) => line.includes('check:'));
      // The order of waves decides at which of the two accesses a race is reported, and whether LDS is also read
      // unwritten.
      expect([code, found]).toEqual([
        0,
        expect.arrayContaining([
          expect.stringMatching(
            /past the end of an allocation in kernel _Z14write_one_morePfi at pc 0x\w+ .*_store_dword.*wave 3, lane 58: write of 4 bytes at 0x\w+: 4 bytes past the end of the 1000-byte allocation/,
          ),
          expect.stringMatching(
            /uninitialised memory in kernel _Z8copy_allPKfPfi at pc 0x\w+ .*_load_dword.*wave 1, lane 61: read of 4 bytes at 0x\w+: nobody has written .* 500 bytes into the 1000-byte allocation/,
          ),
          expect.stringMatching(
            /race in LDS in kernel _Z23reverse_without_barrierPKfPf at pc 0x\w+ .*`ds_\w+ .*wave \d, lane \d+: .*there is no barrier in between/,
          ),
        ]),
      ]);
      expect(found.filter((line) => !line.includes('reverse_without_barrier'))).toHaveLength(2);
      expect((await checked('bounds')).text).not.toMatch(/uninitialised|race/);
      const wrong = await checked('bonds');
      expect([wrong.code === 0, wrong.text]).toEqual([
        false,
        expect.stringMatching(/KERNLOOP_SOFTGPU_CHECK=bonds: 'bonds' is none of its words/),
      ]);
    });
  });

  it('an app that never dispatches says so', async () => {
    const outcome = await captureFails('idle', ['idle'], '^increment');
    expect([outcome.code, outcome.text]).toEqual([
      2,
      expect.stringMatching(/no (kernel|queue|dispatch)|never|launched no/i),
    ]);
  });

  it('an app that is not there says which file', async () => {
    workspace.write('apps/nowhere/kernloop.json', {
      name: 'nowhere',
      command: ['build/missing'],
      kernels: [{ name: 'k', match: 'k' }],
    });
    const outcome = await workspace.kernloop(['capture', '--app', 'apps/nowhere']);
    expect([outcome.code, outcome.text]).toEqual([2, expect.stringMatching(/build\/missing/)]);
  });

  const damaged = (name: string, damage: (folder: string) => void): string => {
    const folder = workspace.path('damaged', name);
    cpSync(good, folder, { recursive: true });
    damage(folder);
    return folder;
  };
  const refuses = async (folder: string, code: RegExp): Promise<void> => {
    const result = await replayEvents(folder, ['--compare']);
    expect([result.code, JSON.stringify(result.events.at(-1))]).toEqual([2, expect.stringMatching(code)]);
    expect(result.events.some(({ event }) => event === 'result')).toBe(false);
  };

  it('a truncated pack is refused', async () => {
    const folder = damaged('truncated', (path) => {
      const pack = join(path, 'chunks.pack');
      writeFileSync(pack, readFileSync(pack).subarray(0, -40));
    });
    await refuses(folder, /PACK_CORRUPT/);
  });

  it('one flipped bit anywhere in a chunk is refused by name', async () => {
    const folder = damaged('flipped', (path) => {
      const pack = join(path, 'chunks.pack');
      const bytes = readFileSync(pack);
      bytes[20] = (bytes[20] ?? 0) ^ 0x10;
      writeFileSync(pack, bytes);
    });
    await refuses(folder, /CHUNK|corrupt/);
  });

  it('a capture of a newer version is refused as such', async () => {
    const folder = damaged('newer', (path) => {
      const file = join(path, 'capture.json');
      writeFileSync(file, readFileSync(file, 'utf8').replace('kernloop.capture/1', 'kernloop.capture/2'));
    });
    await refuses(folder, /CAPTURE_NEWER|newer/);
  });

  it('a region id that climbs out of the archive is refused', async () => {
    const folder = damaged('climbing', (path) => {
      const file = join(path, 'capture.json');
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"r0"', '"../../r0"'));
    });
    await refuses(folder, /CAPTURE_INVALID/);
  });

  it('a disk that fills up during the capture leaves nothing behind', async () => {
    const app = await addProbeApp(
      workspace,
      'full',
      ['linked', '24'],
      [{ name: 'scale_linked', match: 'scale_linked' }],
    );
    const disk = workspace.path('kernels/full');
    workspace.write('kernels/full/.keep', '');
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    expect(mounted.code).toBe(0);
    try {
      const outcome = await workspace.kernloop(['capture', '--app', app, '--scope', 'all']);
      expect([outcome.code === 0, outcome.text]).toEqual([false, expect.stringMatching(/space|disk full/i)]);
      const left = readdirSync(disk, { recursive: true }).map(String);
      expect(left.filter((path) => /capture\.json|partial|chunks/.test(path))).toEqual([]);
    } finally {
      await run('umount', [disk]);
    }
  });

  it('two captures into one directory at once: one wins, the other says why it did not', async () => {
    const app = await addProbeApp(
      workspace,
      'busy',
      ['linked', '96'],
      [{ name: 'scale_linked', match: 'scale_linked' }],
    );
    const both = await Promise.all([1, 2].map(() => workspace.kernloop(['capture', '--app', app, '--scope', 'all'])));
    const codes = both.map(({ code }) => code).sort();
    expect([codes, both.map(({ text }) => text).join('\n')]).toEqual([
      [0, 2],
      expect.stringMatching(/CAPTURE_BUSY|another/),
    ]);
    expect((await replayEvents(workspace.path('kernels/busy/scale_linked/capture'), ['--compare'])).code).toBe(0);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('%s while the app runs leaves no half-written capture', async (signal) => {
    const app = await addProbeApp(
      workspace,
      `killed-${signal}`,
      ['linked', '256'],
      [{ name: 'scale_linked', match: 'scale_linked' }],
    );
    const folder = workspace.path('kernels', `killed-${signal}`, 'scale_linked');
    const timer = { handle: undefined as NodeJS.Timeout | undefined };
    const isHalfWritten = (): boolean => existsSync(folder) && readdirSync(folder).some((name) => /partial/.test(name));
    const killOnce = (kill: (signal: NodeJS.Signals) => void): void => {
      if (!isHalfWritten()) return;
      clearInterval(timer.handle);
      kill(signal);
    };
    const outcome = await workspace.kernloop(['capture', '--app', app, '--scope', 'all'], {
      when: { output: /captur/i, then: (kill) => void (timer.handle = setInterval(() => killOnce(kill), 10)) },
    });
    clearInterval(timer.handle);
    expect(outcome.code).not.toBe(0);
    expect(existsSync(join(folder, 'capture'))).toBe(false);
    const captureAgain = (): Promise<Outcome> => workspace.kernloop(['capture', '--app', app]);
    let again = await captureAgain();
    // The recorder keeps the capture until it notices that the verb has ended.
    while (again.text.includes('CAPTURE_BUSY')) again = await captureAgain();
    expect([again.code, again.text]).toEqual([0, expect.any(String)]);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('Ctrl-C at a terminal says what was captured until then, and that stays', async () => {
    const app = await addProbeApp(workspace, 'stopped', ['once'], [{ name: 'increment', match: '^increment' }]);
    const slow = ['bash', '-c', `'${await probeProgram()}' once; echo sleeping; sleep 200`];
    const config = workspace.json<object>(`${app}/kernloop.json`);
    workspace.write(`${app}/kernloop.json`, { ...config, command: slow });
    const typed = workspace.path('typescript');
    workspace.write('typescript', '');
    const verb = `'${process.execPath}' '${workspace.program()}' capture --app ${app}`;
    const keys = `until grep -q sleeping '${typed}'; do sleep 0.1; done; printf '\\003'; sleep 1`;
    const outcome = await run('bash', ['-c', `{ ${keys}; } | script -qefc "${verb}" '${typed}'`], {
      ...workspace.settings({ env: { CI: undefined, TERM: 'xterm' } }),
      timeoutMs: 100_000,
    });
    expect([outcome.code, outcome.text.replaceAll(/\s+/g, ' ')]).toEqual([
      130,
      expect.stringMatching(
        /stopped by SIGINT \[INTERRUPTED\] → 1 launch is captured and kept \(1 region, \d+\.\d KiB\), none of them checked by a replay, and nothing was left half-written; run it again/,
      ),
    ]);
    const folder = workspace.path('kernels/stopped/increment');
    expect(readdirSync(folder)).toEqual(['capture']);
    expect((await replayEvents(join(folder, 'capture'), ['--compare'])).code).toBe(0);
  });

  it('a missing capture says how to get it', async () => {
    workspace.write('kernels/none/none/kernel.json', {
      name: 'none',
      app: { name: 'good', root: 'apps/good' },
      symbol: 'none',
      demangled: 'none()',
      code_object: '0'.repeat(64),
      device: { kind: 'softgpu', isa: 'amdgcn-amd-amdhsa--gfx90a' },
      language: 'none',
      source: null,
      args: [],
      selection: { match: 'none' },
    });
    const outcome = await workspace.kernloop(['replay', '--reproducer', 'kernels/none/none']);
    expect([outcome.code, outcome.text]).toEqual([
      2,
      expect.stringMatching(/none\/capture\/capture\.json does not exist \[CAPTURE_MISSING\]\n.*`kernloop capture`/),
    ]);
  });

  it('an unknown verb names the nearest', async () => {
    const outcome = await workspace.kernloop(['validte']);
    expect([outcome.code, outcome.text]).toEqual([2, expect.stringMatching(/validate/)]);
  });

  it('an app description with an unknown field is refused by name', async () => {
    copyFileSync(workspace.path('apps/good/kernloop.json'), workspace.path('apps/good/backup.json'));
    workspace.edit('apps/good/kernloop.json', (text) => text.replace('"command"', '"comand"'));
    const outcome = await workspace.kernloop(['capture', '--app', 'apps/good']);
    expect([outcome.code, outcome.text]).toEqual([2, expect.stringMatching(/comand/)]);
    copyFileSync(workspace.path('apps/good/backup.json'), workspace.path('apps/good/kernloop.json'));
  });
});
