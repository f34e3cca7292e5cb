import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernloopJsonSchema } from '../app/kernloop-json';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeLock } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { bundle, programWith } from '../toolchain/testing/program-with';
import { init } from './init';
import { initOptionsSchema } from './options';

describe('init', () => {
  let workspace: TestWorkspace;
  let deps: FakeDeps;
  let folder = '';
  beforeEach(() => {
    workspace = new TestWorkspace();
    deps = fakeDeps({ sh: fakeLock }, workspace.native);
    folder = join(workspace.root, 'native', 'mine');
    workspace.writeBytes('native/mine/build/demo', programWith({ '.hip_fatbin': bundle(['gfx1030']) }));
  });
  afterEach(() => workspace.dispose());

  const run = (options: object = {}) => init(initOptionsSchema.parse({ app: folder, ...options }), deps);
  const written = (): unknown => JSON.parse(readFileSync(join(folder, 'kernloop.json'), 'utf8'));

  it('declares what lies in the folder, and the device of the program', async () => {
    workspace.write('native/mine/Makefile', 'all:\n');
    const result = await run({ kernel: ['reduce'] });
    expect(written()).toEqual({
      name: 'mine',
      device: 'softgpu',
      build: { command: ['make'], outputs: ['build/demo'] },
      command: ['build/demo'],
      source: '.',
      compileCommands: '.kernloop/watched/compile_commands.json',
      kernels: [{ name: 'reduce', match: '(^|[ :])reduce([<(]|$)' }],
      options: { profile: { softgpu: 'gfx1030' }, capture: { softgpu: 'gfx1030' }, extract: { softgpu: 'gfx1030' } },
    });
    expect(result).toMatchObject({ written: true, file: join(folder, 'kernloop.json') });
    expect(result.config).toEqual(kernloopJsonSchema.parse(written()));
    expect(deps.calls.map(({ program }) => program)).toEqual(['sh']);
    expect(deps.said.warn).toEqual([]);
  });

  it('declares no device for a program that is not built yet, and says what to do', async () => {
    workspace.write('native/new/Makefile', 'demo: demo.hip\n\thipcc -o demo demo.hip\n');
    const app = workspace.path('native/new');
    await run({ app });
    const config: unknown = JSON.parse(workspace.read('native/new/kernloop.json'));
    expect(config).toMatchObject({ command: ['./demo'], build: { command: ['make'], outputs: ['demo'] } });
    expect(config).not.toHaveProperty('device');
    expect(deps.said.info.join('\n')).toMatch(
      /device: not known, as .*demo is not built yet: build it once with `make`, .* and run `kernloop init` again/,
    );
    expect(workspace.read('native/new/.gitignore')).toContain('\n/demo\n');
    workspace.writeBytes('native/new/demo', programWith({ '.hip_fatbin': bundle(['gfx1030']) }));
    workspace.write('native/new/kernloop.json', JSON.stringify(config));
    await run({ app });
    expect(JSON.parse(workspace.read('native/new/kernloop.json'))).toEqual({
      ...(config as object),
      device: 'softgpu',
      options: { profile: { softgpu: 'gfx1030' }, capture: { softgpu: 'gfx1030' }, extract: { softgpu: 'gfx1030' } },
    });
  });

  it('takes the command and the device that it is told', async () => {
    await run({ command: ['build/demo', '--size', '3'], device: 'cuda', name: 'other' });
    expect(written()).toMatchObject({ name: 'other', command: ['build/demo', '--size', '3'], device: 'cuda' });
    expect(written()).not.toHaveProperty('options');
  });

  it('refuses a source file as the program, and writes nothing', async () => {
    workspace.write('native/mine/lab.hip', '__global__ void k() {}');
    const error = await failure(run({ command: ['./lab.hip', '3'] }));
    expect([error.code, error.exitCode]).toEqual(['APP_NOT_FOUND', 2]);
    expect(error.hint).toContain('`hipcc --offload-arch=gfx90a -o lab lab.hip`');
    expect(existsSync(join(folder, 'kernloop.json'))).toBe(false);
  });

  it('changes nothing when it runs again', async () => {
    await run();
    const ignored = workspace.read('.gitignore');
    expect(ignored).toContain('**/kernels/*/*/capture/');
    expect(ignored).not.toContain('.nx');
    expect(await run({ name: 'other' })).toMatchObject({ written: false, config: { name: 'mine' } });
    expect(workspace.read('.gitignore')).toBe(ignored);
  });

  it('keeps what another command declares while it waits for the lock, and its comments', async () => {
    const other = { name: 'theirs', command: ['build/demo'], device: 'cuda', kernels: [{ name: 'k', match: '^k' }] };
    const text = `// theirs\n${JSON.stringify(other)}\n`;
    let lockedAt: unknown;
    deps = fakeDeps(
      {
        sh: (call) => {
          lockedAt = call.args.at(-1);
          workspace.write('native/mine/kernloop.json', text);
          return fakeLock(call);
        },
      },
      workspace.native,
    );
    expect(await run()).toMatchObject({ written: false, config: { name: 'theirs' } });
    expect([lockedAt, workspace.read('native/mine/kernloop.json')]).toEqual([folder, text]);
  });

  it('adds the device under the lock, to what is there then', async () => {
    const app = workspace.path('native/mine');
    const undeclared = { name: 'mine', command: ['build/demo'], build: { command: ['make'] } };
    workspace.write('native/mine/kernloop.json', undeclared);
    const kernels = [{ name: 'k', match: '^k' }];
    deps = fakeDeps(
      {
        sh: (call) => {
          workspace.write('native/mine/kernloop.json', { ...undeclared, kernels });
          return fakeLock(call);
        },
      },
      workspace.native,
    );
    expect(await run({ app })).toMatchObject({ written: true });
    expect(written()).toMatchObject({ kernels, device: 'softgpu' });
  });

  it('refuses the name of another app of an Nx workspace, and takes one that is free', async () => {
    expect((await failure(run({ name: 'app' }))).what).toBe('app/kernloop.json is an app called "app", too');
    expect(existsSync(join(folder, 'kernloop.json'))).toBe(false);
    await run({ name: 'app-2' });
    expect(written()).toMatchObject({ name: 'app-2' });
  });

  it('warns of a program that is not there, and was not named by a build', async () => {
    await run({ command: ['./absent'] });
    expect(deps.said.warn.join()).toContain('./absent does not exist yet in ');
  });

  it('writes nothing if the program cannot be found, or the folder', async () => {
    workspace.write('native/none/readme.txt', '');
    expect((await failure(run({ app: workspace.path('native/none') }))).what).toContain('no program was found');
    expect(existsSync(workspace.path('native/none/kernloop.json'))).toBe(false);
    expect((await failure(run({ app: workspace.path('nowhere') }))).what).toMatch(/nowhere is no folder/);
  });
});
