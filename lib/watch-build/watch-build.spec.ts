import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { watchBuild } from './watch-build';

let workspace: TestWorkspace;
afterEach(() => workspace.dispose());

/** A build that compiles these files of the app and then exits with a code. */
function compiling(files: readonly string[], { code = 0, more = [] as string[] } = {}): FakeProgram {
  return ({ options }) => {
    files.forEach((file, index) => {
      workspace.write(`app/${file}`, '');
      const words = ['/opt/bin/hipcc', '-c', file].map((word) => `a${word}`);
      const record = [`d${workspace.app}`, 'x/opt/bin/hipcc', ...words, ...more, ''].join('\0');
      writeFileSync(join(options.env?.['KERNLOOP_WATCH_DIR'] ?? '', `${index}-1.command`), record);
    });
    return code;
  };
}

const watch = (make: FakeProgram, options: { command?: string[]; env?: Record<string, string> } = {}) => {
  const deps = fakeDeps({ make }, workspace.native, { env: options.env ?? {} });
  return { deps, watched: watchBuild({ app: workspace.app, command: options.command ?? ['make', '-j2'] }, deps) };
};
const files = (): string[] =>
  (JSON.parse(workspace.read('app/.kernloop/watched/compile_commands.json')) as { file: string }[]).map(({ file }) =>
    file.slice(workspace.app.length + 1),
  );

describe('watching a build', () => {
  it('adds to what is known of earlier builds, and forgets files that are gone', async () => {
    workspace = new TestWorkspace();
    await watch(compiling(['a.hip', 'b.hip'])).watched;
    const { watched } = watch(compiling(['b.hip', 'c.hip']));
    expect(await watched).toMatchObject({ compiled: 2, kept: 1, device_units: 3 });
    expect(files()).toEqual(['a.hip', 'b.hip', 'c.hip']);
  });

  it('keeps what was compiled before the build failed', async () => {
    workspace = new TestWorkspace();
    const { watched } = watch(compiling(['a.hip'], { code: 2 }));
    expect((await failure(watched)).code).toBe('APP_BUILD_FAILED');
    expect(files()).toEqual(['a.hip']);
  });

  it('runs the build that kernloop.json declares, and says where there is none', async () => {
    workspace = new TestWorkspace({ build: { command: ['make', 'all'] } });
    const { deps, watched } = watch(compiling(['a.hip']), { command: [] });
    await watched;
    expect(deps.calls.map(({ args }) => args)).toEqual([['all']]);
    workspace.dispose();
    workspace = new TestWorkspace();
    expect((await failure(watch(() => 0, { command: [] }).watched)).code).toBe('USAGE');
  });

  it('stands beside what is preloaded already, and beside the address sanitizer', async () => {
    workspace = new TestWorkspace();
    const env = { LD_PRELOAD: '/x/libown.so', ASAN_OPTIONS: 'detect_leaks=0' };
    const { deps, watched } = watch(compiling(['a.hip']), { env });
    await watched;
    expect(deps.calls[0]?.env['LD_PRELOAD']).toMatch(/\/libkernloop-watch\.so:\/x\/libown\.so$/);
    expect(deps.calls[0]?.env['ASAN_OPTIONS']).toBe('detect_leaks=0:verify_asan_link_order=0');
  });

  it('says once what the environment of the build adds to a compilation, and not what kernloop.json has', async () => {
    workspace = new TestWorkspace({ env: { CPATH: '/known' } });
    const more = ['eCPATH=/known', 'eNVCC_APPEND_FLAGS=-DX=1'];
    const { deps, watched } = watch(compiling(['a.hip', 'b.hip'], { more }));
    await watched;
    expect(deps.said.warn).toEqual([expect.stringContaining('NVCC_APPEND_FLAGS=-DX=1')]);
  });

  it('leaves out a command that cannot be read any more, and says which', async () => {
    workspace = new TestWorkspace();
    const make: FakeProgram = (call) => {
      const record = [`d${workspace.app}`, 'x/opt/nvcc', 'anvcc', 'a--options-file', 'agone.rsp', 'a-c', 'ab.cu', ''];
      writeFileSync(join(call.options.env?.['KERNLOOP_WATCH_DIR'] ?? '', '9-1.command'), record.join('\0'));
      return compiling(['a.hip'])(call);
    };
    const { deps, watched } = watch(make);
    expect(await watched).toMatchObject({ compiled: 1 });
    expect(deps.said.warn).toEqual([expect.stringMatching(/^nvcc --options-file gone.rsp .* left out: .*gone.rsp/)]);
  });

  it('says where nothing was compiled', async () => {
    workspace = new TestWorkspace();
    const unseen = await failure(watch(() => 0).watched);
    expect(unseen.code).toBe('BUILD_NOT_SEEN');
    expect(unseen.hint).toMatch(/`make clean`, then `kernloop watch-build/);
    await watch(compiling(['a.hip'])).watched;
    const { deps, watched } = watch(() => 0);
    expect(await watched).toMatchObject({ compiled: 0, kept: 1 });
    expect(deps.said.warn).toEqual([expect.stringContaining('built already')]);
  });
});
