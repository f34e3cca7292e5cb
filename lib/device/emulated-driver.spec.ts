import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { thrown } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { timeWords, wordsOfTimer } from './emulated-driver';
import { openHsa } from './hsa';

describe('the hsa device over the emulated driver', () => {
  let workspace: TestWorkspace;
  let library: string;

  beforeEach(() => {
    workspace = new TestWorkspace();
    const folder = join(workspace.native.root, 'lib', 'kfd');
    library = join(folder, 'libkernloop-kfd.so');
    workspace.write(library, 'driver');
    for (const [target, version] of [
      ['gfx90a', 90010],
      ['gfx1030', 100300],
    ])
      for (const topology of ['topology', 'topology-6.12'])
        workspace.write(join(folder, `${target}/${topology}/nodes/1/properties`), `gfx_target_version ${version}\n`);
    workspace.write('real/1/properties', 'gfx_target_version 90010\nunique_id 255\n');
  });
  afterEach(() => workspace.dispose());

  const hsa = (env: Record<string, string>) => openHsa(fakeDeps({}, workspace.native, { env }), workspace.path('real'));

  it('is asked for by the environment alone', () => {
    expect(hsa({ KERNLOOP_SOFTGPU: 'gfx1030' }).description.identity).toBe('hsa-gfx90a-ff');
    expect(hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd' }).description).toMatchObject({
      kind: 'hsa',
      name: 'Software AMD gfx90a',
      identity: expect.stringMatching(/^softgpu-kfd-gfx90a-linux-6\.1-[0-9a-f]{12}$/) as string,
    });
    const named = hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU: 'gfx1030' });
    expect(named.description.isa).toBe('amdgcn-amd-amdhsa--gfx1030');
  });

  it('is another device with another build of the driver', () => {
    const before = hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd' }).description.identity;
    workspace.write(library, 'rebuilt');
    expect(hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd' }).description.identity).not.toBe(before);
  });

  it('is another device with another emulated kernel', () => {
    const later = hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU_LINUX: '6.12' }).description;
    expect(later.identity).toMatch(/^softgpu-kfd-gfx90a-linux-6\.12-/);
    expect(timeWords(later)).toMatch(/no GPU time/);
  });

  it('is preloaded into replays and apps, behind what the user preloads', () => {
    const device = hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd', LD_PRELOAD: '/shell.so' });
    const folder = dirname(library);
    const driver = basename(library);
    expect(device.env).toEqual({
      LD_LIBRARY_PATH: folder,
      LD_PRELOAD: `/shell.so:${driver}`,
      KERNLOOP_SOFTGPU: 'gfx90a',
    });
    expect(device.appLibraries({ LD_LIBRARY_PATH: '/app', LD_PRELOAD: '/a.so' })).toEqual({
      LD_LIBRARY_PATH: `${folder}:/app`,
      LD_PRELOAD: `/a.so:${driver}`,
      KERNLOOP_SOFTGPU: 'gfx90a',
    });
    expect(hsa({ LD_PRELOAD: '/shell.so' }).env).toEqual({});
  });

  it('never calls a time of it GPU time', () => {
    const words = timeWords(hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd' }).description);
    expect(words).toMatch(/software GPU.*no GPU time/);
    expect(wordsOfTimer('software-gpu, hip-events')).toBe(words);
    expect(timeWords(hsa({}).description)).toBe('GPU time');
    expect(wordsOfTimer('hip-events')).toBe('GPU time');
    expect(wordsOfTimer(null)).toBe('GPU time');
  });

  it.each([
    ['another level', { KERNLOOP_SOFTGPU_LEVEL: 'hsa' }, 'USAGE'],
    ['an unknown kernel', { KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU_LINUX: '6.5' }, 'USAGE'],
    ['an unknown target', { KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU: 'gfx906' }, 'USAGE'],
    [
      'a build without that target',
      { KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU: 'gfx942' },
      'ENVIRONMENT_NATIVE_MISSING',
    ],
  ])('refuses %s', (_what, env, code) => {
    expect(thrown(() => hsa(env))).toMatchObject({ code });
  });

  it('refuses a build without the driver', () => {
    rmSync(library);
    expect(thrown(() => hsa({ KERNLOOP_SOFTGPU_LEVEL: 'kfd' }))).toMatchObject({
      code: 'ENVIRONMENT_NATIVE_MISSING',
      what: expect.stringContaining('libkernloop-kfd.so') as string,
    });
  });
});
