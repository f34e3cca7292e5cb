import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesOfRun, repository, run, Workspace } from './harness';

/** The archive for GPU hosts without Node and without a network. */
describe('the bundle', () => {
  let workspace: Workspace;
  let home: string;
  /** A PATH with the few tools of any Linux, and no Node. */
  let tools: string;

  beforeAll(async () => {
    workspace = Workspace.create(['e2e/fixtures/probe']);
    // Uncompressed: xz takes 16 s of CPU for an archive that is read once.
    const archive = workspace.path('kernloop.tar');
    const words = ['tools/bundle.mjs', archive, '--packages', packagesOfRun];
    const packed = await run('node', words, { cwd: repository });
    expect([packed.code, packed.text]).toEqual([0, expect.stringMatching(/kernloop\.tar: [\d.]+ MiB/)]);
    mkdirSync(workspace.path('host'));
    expect((await run('tar', ['xf', archive, '-C', workspace.path('host')])).code).toBe(0);
    const [folder = ''] = readdirSync(workspace.path('host'));
    home = workspace.path('host', folder);
    tools = workspace.path('tools');
    mkdirSync(tools);
    for (const tool of ['sh', 'dirname', 'readlink', 'python3', 'ldd'])
      symlinkSync(await which(tool), join(tools, tool));
  });
  afterAll(() => workspace.remove());

  const which = async (tool: string) => (await run('sh', ['-c', `command -v ${tool}`])).stdout.trim();
  const bundled = (args: readonly string[]) =>
    run(join(home, 'bin', 'kernloop'), args, {
      cwd: workspace.root,
      env: { PATH: tools, KERNLOOP_NATIVE_DIR: undefined, NODE_PATH: undefined },
    });

  it('runs where there is no Node', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
    const outcome = await bundled(['--version']);
    expect([outcome.code, outcome.stdout.trim()]).toEqual([0, version]);
    expect((await run('env', ['-i', `PATH=${tools}`, 'sh', '-c', 'command -v node'])).code).not.toBe(0);
  });

  it("takes along no file of this machine: every library that its programs need is their own or the system's", async () => {
    const products = join(home, 'node_modules', '@kernloop', 'native-linux-x64');
    for (const program of ['recorder', 'replay', 'archive']) {
      const { stdout } = await run('ldd', [join(products, 'bin', `kernloop-${program}`)]);
      const needed = stdout.split('\n').map((line) => line.trim().split(' ')[0]);
      expect(
        needed.filter((name) => name && !/^(linux-vdso|libc|libm|\/lib64\/ld-linux-x86-64)\.so/.test(name)),
      ).toEqual([]);
    }
    expect(existsSync(join(products, 'lib', 'libkernloop-capture-cuda.so'))).toBe(true);
    expect(existsSync(join(products, 'lib', 'cuda-fake'))).toBe(false);
  });

  it('captures, checks, replays and validates a kernel', async () => {
    const build = workspace.path('apps', 'probe', 'build');
    const env = { HIP_PLATFORM: 'amd' };
    expect((await run('cmake', ['-S', workspace.path('apps', 'probe'), '-B', build], { env })).code).toBe(0);
    expect((await run('cmake', ['--build', build], { env })).code).toBe(0);
    writeFileSync(
      workspace.path('apps', 'probe', 'kernloop.json'),
      JSON.stringify({
        name: 'linked',
        command: ['build/probe', 'linked', '1'],
        kernels: [{ name: 'scale_linked', match: 'scale_linked' }],
      }),
    );
    const extracted = await bundled(['extract', '--app', 'apps/probe']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.stringMatching(/verified/)]);
    const verdict = await bundled(['validate', '--reproducer', 'kernels/linked/scale_linked', '--variant', 'none']);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS \(/)]);
  });
});
