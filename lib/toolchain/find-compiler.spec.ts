import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recordingDeps } from '../generate/testing/fixture';
import { runProcess, type ProcessRunner } from '../support/exec';
import { failure } from '../testing/failure';
import { findCompiler } from './find-compiler';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'kernloop-compiler-'))));
afterEach(() => rmSync(root, { recursive: true }));

function compiler(path: string, version: string): string {
  const absolute = join(root, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, `#!/bin/sh\necho "${version}"\necho "Target: x86_64"\n`);
  chmodSync(absolute, 0o755);
  return absolute;
}
const path = (...folders: string[]): string => folders.map((folder) => join(root, folder)).join(':');

describe('findCompiler', () => {
  it('says that it was stopped, not that a compiler is missing', async () => {
    const slow = compiler('new/fakecc', 'fakecc version 2');
    writeFileSync(slow, '#!/bin/sh\nsleep 20\n');
    const controller = new AbortController();
    const run: ProcessRunner = (file, args, options) => {
      const running = runProcess(file, args, options);
      controller.abort('SIGINT');
      running.kill('SIGTERM');
      return running;
    };
    const { deps } = recordingDeps({ env: { PATH: path('new') }, run, signal: controller.signal });
    expect((await failure(findCompiler({ name: 'fakecc', version: null }, { ...deps, run }))).code).toBe('INTERRUPTED');
  });

  it('prefers the version of the recipe over the first on the PATH', async () => {
    compiler('new/fakecc', 'fakecc version 2');
    const wanted = compiler('old/fakecc', 'fakecc version 1');
    const { deps, reported } = recordingDeps({ env: { PATH: path('new', 'old') } });
    expect(await findCompiler({ name: 'fakecc', version: 'fakecc version 1' }, deps)).toEqual({
      path: wanted,
      version: 'fakecc version 1',
    });
    expect(reported).toEqual([]);
  });

  it('takes another version where it has to, and says so', async () => {
    const only = compiler('new/fakecc', 'fakecc version 2');
    const { deps, reported } = recordingDeps({ env: { PATH: path('new') } });
    expect((await findCompiler({ name: 'fakecc', version: 'fakecc version 1' }, deps)).path).toBe(only);
    expect(reported.join()).toContain('the code may differ');
  });

  it('takes what KERNLOOP_COMPILER names, even where the wanted version is on the PATH', async () => {
    compiler('old/fakecc', 'fakecc version 1');
    const named = compiler('mine', 'mine version 9');
    const { deps } = recordingDeps({ env: { PATH: path('old'), KERNLOOP_COMPILER: named } });
    expect((await findCompiler({ name: 'fakecc', version: 'fakecc version 1' }, deps)).path).toBe(named);
  });

  it('finds the toolchain that ROCM_PATH names', async () => {
    const named = compiler('rocm/llvm/bin/fakecc', 'fakecc version 1');
    const { deps } = recordingDeps({ env: { PATH: '', ROCM_PATH: join(root, 'rocm') } });
    expect((await findCompiler({ name: 'fakecc', version: null }, deps)).path).toBe(named);
  });

  it('takes no folder and no plain file for a compiler', async () => {
    mkdirSync(join(root, 'bin', 'fakecc'), { recursive: true });
    writeFileSync(join(root, 'fakecc'), 'text');
    const { deps } = recordingDeps({ env: { PATH: `${path('bin')}:${root}` } });
    expect(await failure(findCompiler({ name: 'fakecc', version: null }, deps))).toMatchObject({
      code: 'ENVIRONMENT_TOOL_MISSING',
      exitCode: 5,
    });
  });

  it('lets no hipcc search the machine for GPUs to say its version', async () => {
    const hipcc = compiler('bin/hipcc', '');
    writeFileSync(hipcc, '#!/bin/sh\necho "HIP version: 5 ${HCC_AMDGPU_TARGET:-searched}"\n');
    const { deps } = recordingDeps({ env: { PATH: path('bin') } });
    const wanted = { name: 'hipcc', version: null };
    expect((await findCompiler(wanted, deps)).version).toBe('HIP version: 5 gfx90a');
  });

  it('passes on what a broken compiler says', async () => {
    const broken = compiler('bin/fakecc', '');
    writeFileSync(broken, '#!/bin/sh\necho "cannot find libLLVM" >&2\nexit 1\n');
    const { deps } = recordingDeps({ env: { PATH: path('bin') } });
    expect((await failure(findCompiler({ name: 'fakecc', version: null }, deps))).what).toContain(
      'cannot find libLLVM',
    );
  });
});
