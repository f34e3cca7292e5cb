import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, repository, run, type Outcome } from './harness';
import { Workspace } from './in-process';

/** A program as anybody has one, in a folder without kernloop.json, Nx or build files. */
describe('a program of the user', () => {
  const workspace = Workspace.create([]);
  const folder = newFolder();
  const path = (...parts: string[]): string => join(folder, ...parts);
  const kernloop = (...args: string[]): Promise<Outcome> => workspace.kernloop(args, { cwd: folder });
  const files = (): string[] => readdirSync(folder).filter((name) => name !== '.kernloop');

  beforeAll(() => cpSync(join(repository, 'e2e/fixtures/stranger'), folder, { recursive: true }));
  afterAll(() => {
    workspace.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused if it is missing, not executable, or launches no kernel; nothing is written', async () => {
    writeFileSync(path('script'), '#!/bin/sh\n');
    for (const verb of ['profile', 'extract']) {
      const missing = await kernloop(verb, '--', './demo', '--size', '3');
      const text = 'demo does not exist: it is not built, and demo.hip is there [APP_NOT_FOUND]';
      expect([missing.code, missing.text]).toEqual([2, expect.stringContaining(text)]);
      expect(missing.text).toContain('hipcc --offload-arch=gfx90a -o demo demo.hip');
      chmodSync(path('script'), 0o644);
      const notExecutable = await kernloop(verb, '--', './script');
      expect([notExecutable.code, notExecutable.text]).toEqual([2, expect.stringContaining('chmod +x ./script')]);
      chmodSync(path('script'), 0o755);
      const silent = await kernloop(verb, '--', './script');
      expect([silent.code, silent.text]).toEqual([2, expect.stringContaining('[NO_AGENT]')]);
    }
    rmSync(path('script'));
    expect(files()).toEqual(['demo.hip']);
  });

  it('is brought from its source to a verdict by three commands', async () => {
    const built = await run('hipcc', ['--offload-arch=gfx90a', '-o', 'demo', 'demo.hip'], {
      cwd: folder,
      env: { HIP_PLATFORM: 'amd' },
    });
    expect([built.code, built.text]).toEqual([0, expect.any(String)]);
    const extracted = await kernloop('extract', '-k', 'scale', '--', './demo');
    expect([extracted.code, extracted.text]).toEqual([0, expect.stringContaining('byte for byte')]);
    expect(extracted.text).toContain('device: the software GPU as gfx90a (demo has code for gfx90a)');
    expect(extracted.text).toContain('Next, edit kernels/demo/scale/kernel_variant.hip');
    const judged = await kernloop('validate', 'kernels/demo/scale');
    expect([judged.code, judged.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
  });

  it('is declared in a kernloop.json then, where every verb finds it', async () => {
    const declared = JSON.parse(readFileSync(path('kernloop.json'), 'utf8')) as object;
    expect(declared).toMatchObject({
      name: 'demo',
      device: 'softgpu',
      command: ['./demo'],
      kernels: [{ name: 'scale' }],
    });
    const again = await kernloop('extract', '-k', 'scale', '--', './demo');
    const kept = /^scale: kernels\/demo\/scale\/capture is up to date and kept: the same program, launch and device$/m;
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(kept)]);
    const without = await kernloop('extract');
    expect([without.code, without.text]).toEqual([0, expect.stringContaining('is up to date')]);
    const other = await kernloop('extract', '-k', 'scale', '--', './demo', '3');
    expect([other.code, other.text]).toEqual([
      2,
      expect.stringMatching(/runs `\.\/demo`, not `\.\/demo 3` \[APP_CONFLICT\]/),
    ]);
  });

  it('is told what became of the capture that was there, and which kernels it has besides', async () => {
    const replaced = await kernloop('extract', 'scale', '--recapture');
    expect([replaced.code, replaced.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^scale: kernels\/demo\/scale\/capture replaces the capture that was there: asked to capture/m,
      ),
    ]);
    const unknown = await kernloop('extract', 'shfit');
    expect([unknown.code, unknown.text]).toEqual([
      2,
      expect.stringContaining(
        'did you mean shift? the last profile saw shift, which is not declared: `kernloop declare shift`, then `kernloop extract shift`; declared: scale',
      ),
    ]);
  });

  it('is profiled with the three costliest kernels and the next command', async () => {
    const { code, text } = await kernloop('profile', '--', './demo');
    expect([code, text]).toEqual([0, expect.stringMatching(/scale\(float\*, float, int\)[^]*shift\(/)]);
    expect(text).toContain('Next, make a kernel a project: kernloop extract -k scale -- ./demo\n');
  });

  it('is refused for a kernel name with a typo, or one of several kernels, and keeps what it declares', async () => {
    const before = readFileSync(path('kernloop.json'), 'utf8');
    const typo = await kernloop('extract', '-k', 'shfit', '--', './demo');
    expect([typo.code, typo.text]).toEqual([2, expect.stringMatching(/\[NO_MATCH\]\n.*did you mean shift\?/)]);
    const several = await kernloop('extract', '-k', 's.*t|s.*e', '--', './demo');
    expect([several.code, several.text]).toEqual([
      2,
      expect.stringMatching(/matches 2 kernels:\n.*scale\([^]*shift\([^]*-k 'scale', -k 'shift'/),
    ]);
    expect(readFileSync(path('kernloop.json'), 'utf8')).toBe(before);
  });

  it('gives its costliest kernel without a name, and without sources what can be replayed', async () => {
    mkdirSync(path('alone'));
    cpSync(path('demo'), path('alone/demo'));
    const { code, text } = await kernloop('extract', '--app', 'alone', '--', './demo');
    expect([code, text]).toEqual([0, expect.stringMatching(/no kernel was named: scale\(.*is the costliest/)]);
    expect(text).toMatch(/To recompile it, .*kernloop watch-build/);
    expect(existsSync(path('alone/kernels/demo/scale/kernel_variant.hip'))).toBe(false);
    const judged = await kernloop('validate', 'alone/kernels/demo/scale');
    expect([judged.code, judged.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
  });

  it('is built, and the build watched, if its Makefile says how', async () => {
    mkdirSync(path('made'));
    cpSync(path('demo.hip'), path('made/demo.hip'));
    const rule = 'out/demo: demo.hip\n\tmkdir -p out\n\thipcc --offload-arch=gfx90a -O1 -o $@ $<\n';
    writeFileSync(path('made/Makefile'), rule);
    const { code, text } = await kernloop('extract', '--app', 'made', '-k', 'shift', '--', 'out/demo');
    expect([code, text]).toEqual([0, expect.stringContaining('byte for byte')]);
    expect(text).not.toContain('no compile database');
    expect(JSON.parse(readFileSync(path('made/kernloop.json'), 'utf8'))).toMatchObject({
      build: { command: ['make'], outputs: ['out/demo'] },
      compileCommands: '.kernloop/watched/compile_commands.json',
    });
  });
});
