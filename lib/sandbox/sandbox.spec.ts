import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { inSandbox } from './sandbox';
import { sandboxSupport } from './support';
import { toolchainFolders } from './toolchain-folders';

let workspace: TestWorkspace;
beforeEach(() => (workspace = new TestWorkspace()));
afterEach(() => workspace.dispose());

describe('dependencies in a sandbox', () => {
  it('run each program in it, with its paths, limits and few variables', async () => {
    const env = { PATH: '/usr/bin', ROCM_PATH: '/opt/rocm', GITHUB_TOKEN: 'secret', HOME: '/home/me', TMPDIR: '/mine' };
    const deps = fakeDeps({ 'kernloop-sandbox': () => 0 }, workspace.native, { env });
    const confined = inSandbox(deps, {
      read: ['/usr', '/candidate'],
      write: ['/candidate/build'],
      env: { LANG: 'C' },
      limits: { memoryBytes: 1000, fileBytes: 2000, folderBytes: 2500, processes: 30, cpuSeconds: 40 },
    });
    const options = { cwd: '/candidate', env: { HIP_PLATFORM: 'amd', CPATH: undefined, PATH: '/bin' } };
    await confined.run('/usr/bin/hipcc', ['-c', 'k.hip', '--', '--read', '/'], options).result;
    expect(deps.calls).toEqual([
      {
        program: 'kernloop-sandbox',
        env: {},
        args: [
          ...['--read', '/usr', '--read', '/candidate', '--write', '/candidate/build'],
          ...['--env', 'PATH=/bin', '--env', 'ROCM_PATH=/opt/rocm', '--env', 'HIP_PLATFORM=amd', '--env', 'LANG=C'],
          ...['--env', 'HOME=/candidate/build', '--env', 'TMPDIR=/candidate/build'],
          ...['--limit-memory-bytes', '1000', '--limit-file-bytes', '2000', '--limit-folder-bytes', '2500'],
          ...[
            '--limit-processes',
            '30',
            '--limit-cpu-seconds',
            '40',
            '--',
            '/usr/bin/hipcc',
            '-c',
            'k.hip',
            '--',
            '--read',
            '/',
          ],
        ],
      },
    ]);
  });
});

it('a program that needs stdin is refused, which a sandbox does not pass on', () => {
  const deps = fakeDeps({ 'kernloop-sandbox': () => 0 }, workspace.native);
  const confined = inSandbox(deps, { read: ['/usr'], write: ['/candidate'] });
  expect(() => confined.run('cat', [], { holdStdin: true })).toThrow('cat has no stdin in a sandbox');
  expect(deps.calls).toEqual([]);
});

describe('support for sandboxes', () => {
  const asked = (program: FakeProgram) => sandboxSupport(fakeDeps({ 'kernloop-sandbox': program }, workspace.native));

  it('is what the probe says', async () => {
    const probed = asked(({ print }) => (print({ event: 'sandbox', landlock_abi: 4, is_available: true }), 0));
    expect(await probed).toEqual({ landlockAbi: 4 });
  });

  it.each<[string, FakeProgram, string]>([
    [
      'refuses',
      ({ print }) => (print({ event: 'sandbox', landlock_abi: 0, is_available: false, reason: 'no Landlock' }), 5),
      'no Landlock',
    ],
    ['is killed', () => ({ exitCode: null, signal: 'SIGSYS' }), 'was killed by SIGSYS'],
    ['says nothing', () => 0, 'exited with code 0'],
    [
      'succeeds by its event alone',
      ({ print }) => (print({ event: 'sandbox', landlock_abi: 7, is_available: true }), 5),
      'exited with code 5',
    ],
  ])('is none if the probe %s', async (_case, program, reason) => {
    const error = await failure(asked(program));
    expect(error).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', exitCode: 5 });
    expect(error.what).toContain(reason);
    expect(error.hint).toContain('--unsandboxed');
  });
});

describe('the folders of a toolchain', () => {
  const folders = (compiler: string, env = {}): string[] => toolchainFolders([compiler], env);

  it('are those of the system, without /opt, /etc and the homes', () => {
    const found = folders('/usr/bin/env');
    expect(found).toContain('/usr');
    for (const path of ['/', '/opt', '/etc', '/home', '/root', '/tmp', '/proc', '/dev', '/sys', '/var'])
      expect(found).not.toContain(path);
  });

  it('have the installation of a compiler and those of variables, links followed', () => {
    workspace.write('rocm-6/bin/hipcc', '');
    workspace.write('rocm-6/include/hip/hip_runtime.h', '');
    workspace.write('cuda/nvvm/bin/cicc', '');
    symlinkSync(workspace.path('rocm-6'), workspace.path('rocm'));
    workspace.write('libraries/libamd.so', '');
    const env = { CUDA_HOME: workspace.path('cuda'), LD_LIBRARY_PATH: `.:${workspace.path('libraries')}:/nowhere` };
    const found = folders(workspace.path('rocm/bin/hipcc'), env);
    expect(found).toContain(realpathSync(workspace.path('libraries')));
    expect(found.filter((path) => !path.startsWith('/') || path === '/nowhere')).toEqual([]);
    expect(found).toContain(realpathSync(workspace.path('rocm-6')));
    expect(found).toContain(realpathSync(workspace.path('cuda')));
  });

  it('have no neighbours of a wrapper in a private folder', () => {
    workspace.write('me/bin/hipcc', '');
    workspace.write('me/secret', '');
    const found = folders(workspace.path('me/bin/hipcc'));
    expect(found).toContain(realpathSync(workspace.path('me/bin/hipcc')));
    expect(found).not.toContain(realpathSync(workspace.path('me')));
  });

  it('have a virtual environment and its Python, and the folder of a library', () => {
    workspace.write('venv/pyvenv.cfg', `home = ${workspace.path('python/bin')}\nversion = 3.12\n`);
    workspace.write('python/bin/python3', '');
    mkdirSync(workspace.path('python/lib'));
    mkdirSync(workspace.path('venv/bin'));
    symlinkSync(workspace.path('python/bin/python3'), workspace.path('venv/bin/python'));
    const found = folders(workspace.path('venv/bin/python'));
    for (const part of ['venv', 'python/bin', 'python/lib'])
      expect(found).toContain(realpathSync(workspace.path(part)));
    workspace.write('nvrtc/lib/libnvrtc.so.13', '');
    expect(folders(workspace.path('nvrtc/lib/libnvrtc.so.13'))).toContain(realpathSync(workspace.path('nvrtc/lib')));
  });
});
