import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asUsersHaveIt, nativeDirectory, Workspace } from './harness';

/** The first thing a newcomer does, through Nx, in a workspace of their own. */
describe('the loop on batched-scale (T**)', () => {
  let workspace: Workspace;
  const project = 'kernels/batched-scale/scale_batch';
  const target = (name: string): string[] => ['run', `batched-scale-scale_batch:${name}`];
  const appRuns = (): number => readFileSync(workspace.path('runs.log'), 'utf8').split('\n').length - 1;

  beforeAll(async () => {
    workspace = Workspace.create(['examples/batched-scale'], asUsersHaveIt);
    // Counts the starts of the app.
    workspace.write('apps/batched-scale/count', '#!/bin/sh\necho run >> "$(dirname "$0")/../../runs.log"\nexec "$@"\n');
    workspace.write('runs.log', '');
    workspace.edit('apps/batched-scale/kernloop.json', (text) =>
      text.replace('["build/batched_scale"]', '["sh", "count", "build/batched_scale"]'),
    );
    await workspace.commitAll();
  });
  afterAll(() => workspace.remove());

  it('extracts the kernel of an unmodified program into a project of its own', async () => {
    const outcome = await workspace.nx(['run', 'batched-scale:extract-kernel']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringContaining('scale_batch')]);
    for (const file of [
      'kernel.json',
      'kernel_variant.hip',
      'Makefile',
      'README.md',
      'pristine/recipe.json',
      'capture/capture.json',
    ]) {
      expect([file, existsSync(workspace.path(project, file))]).toEqual([file, true]);
    }
    expect(workspace.json<{ verdict: string }>(`${project}/capture/selfcheck.json`).verdict).toBe('verified');
    expect(appRuns()).toBe(1);
  });

  it('captures far less than a full snapshot, and every array that only memory leads to', () => {
    const capture = workspace.json<{ regions: { size: number }[]; scope: { tracked_bytes: number } }>(
      `${project}/capture/capture.json`,
    );
    const bytes = capture.regions.reduce((sum, { size }) => sum + size, 0);
    expect(capture.regions.length).toBeGreaterThanOrEqual(18); // 16 arrays, the pointers and the lengths
    expect(bytes * 50).toBeLessThan(capture.scope.tracked_bytes);
  });

  it('starts the app no second time and writes no file when nothing changed', async () => {
    await workspace.commitAll();
    const before = workspace.snapshot('.');
    const outcome = await workspace.nx(['run', 'batched-scale:extract-kernel']);
    expect(outcome.code).toBe(0);
    expect(appRuns()).toBe(1);
    expect(workspace.snapshot('.')).toEqual(before);
  });

  it('validates the untouched kernel against what the app computed', async () => {
    const outcome = await workspace.nx(target('validate'));
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('fails a variant that does nothing', async () => {
    const file = `${project}/kernel_variant.hip`;
    const original = workspace.read(file);
    workspace.edit(file, (text) => text.replace('array[i] *= factor;', ''));
    const outcome = await workspace.nx(target('validate'));
    expect([outcome.code === 0, outcome.text]).toEqual([false, expect.stringMatching(/Result: FAIL/)]);
    workspace.write(file, original);
    expect((await workspace.nx(target('validate'))).code).toBe(0);
  });

  it.each(['false', 'true'])(
    'keeps an edit and an added file through every stage and cache hit (Nx daemon: %s)',
    async (daemon) => {
      const env = { NX_DAEMON: daemon, CI: undefined };
      const edit = `// my edit, daemon ${daemon}\n`;
      workspace.edit(`${project}/kernel_variant.hip`, (text) => edit + text);
      workspace.write(`${project}/notes-${daemon}.md`, 'mine\n');
      for (const args of [
        ['run', 'batched-scale:extract-kernel'],
        target('validate'),
        ['run', 'batched-scale:extract-kernel'],
        target('recompile'),
      ]) {
        const outcome = await workspace.nx(args, { env });
        expect([args.join(' '), outcome.code, outcome.text]).toEqual([args.join(' '), 0, expect.any(String)]);
        expect(workspace.read(`${project}/kernel_variant.hip`).startsWith(edit)).toBe(true);
        expect(workspace.read(`${project}/notes-${daemon}.md`)).toBe('mine\n');
      }
      if (daemon === 'true') await workspace.nx(['daemon', '--stop']);
    },
  );

  it('passes a variant that computes the same in another way', async () => {
    workspace.edit(`${project}/kernel_variant.hip`, (text) =>
      text.replace('array[i] *= factor;', 'array[i] = factor * array[i];'),
    );
    const outcome = await workspace.nx(target('validate'));
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('captures again in a clone whose caches are empty, and keeps the committed variant', async () => {
    await workspace.commitAll();
    const variant = workspace.read(`${project}/kernel_variant.hip`);
    await workspace.git('clean', '-qfdx', '-e', 'node_modules');
    expect(existsSync(workspace.path(project, 'capture'))).toBe(false);
    workspace.write('runs.log', '');
    const outcome = await workspace.nx(target('validate'));
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(appRuns()).toBe(1);
    expect(workspace.read(`${project}/kernel_variant.hip`)).toBe(variant);
  });

  it('runs everything again that depends on the native core once that was rebuilt', async () => {
    expect((await workspace.nx(target('validate'))).code).toBe(0);
    const runs = appRuns();
    const rebuilt = workspace.path('rebuilt-native');
    const programs = readdirSync(join(nativeDirectory, 'bin')).filter((name) => name.startsWith('kernloop-'));
    for (const part of [...programs.map((name) => join('bin', name)), 'lib']) {
      cpSync(join(nativeDirectory, part), join(rebuilt, part), { recursive: true });
    }
    appendFileSync(join(rebuilt, 'lib/softgpu/libhsa-runtime64.so.1'), 'another build');
    const outcome = await workspace.nx(target('validate'), { env: { KERNLOOP_NATIVE_DIR: rebuilt } });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(appRuns()).toBe(runs + 1);
  });
});
