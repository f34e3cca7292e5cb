import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workspace, type Outcome } from './harness';
import { probeProgram } from './probe';

/**
 * Everything that decides a verdict, changed behind the back of Nx: ignored by git, behind a link, outside of the workspace, with the time
 * of before. Each must be a miss with the right verdict; what decides nothing must stay a hit. The list is docs/nx.md's.
 */
describe('what decides a verdict is an input', () => {
  let workspace: Workspace;
  /** A folder that is no part of the workspace. */
  let outside: string;
  const project = 'kernels/outputs/two_outputs';
  const variant = `${project}/kernel_variant.hip`;
  const kernel = () => workspace.path('private/kernel.hip');
  const verdict = { pass: /Result: PASS/, fail: /Result: FAIL/, vacuous: /Result: VACUOUS/ };

  /** Of each task of a run, whether the cache answered. */
  const hits = ({ text }: Outcome): Record<string, boolean> =>
    Object.fromEntries(
      [...text.matchAll(/nx run ([\w-]+:[\w-]+)(.*)$/gm)].map(([, task = '', more = '']) => [task, /cache/.test(more)]),
    );

  beforeAll(async () => {
    outside = mkdtempSync(join(tmpdir(), 'kernloop-outside-'));
    workspace = Workspace.create([]);
    workspace.write('.gitignore', `${workspace.read('.gitignore')}bin\nprivate\n*.inc\nmine.hsaco\n`);
    const program = workspace.path('apps/outputs/bin/probe');
    mkdirSync(workspace.path('apps/outputs/bin'), { recursive: true });
    copyFileSync(await probeProgram(), program);
    // A Python app that is its packages and a binary that git does not see.
    mkdirSync(join(outside, 'site'));
    writeFileSync(join(outside, 'site', 'flavour.py'), 'MODE = "outputs"\n');
    workspace.write(
      'apps/outputs/run.py',
      'import os, sys, flavour\nos.execv(sys.argv[1], [sys.argv[1], flavour.MODE])\n',
    );
    workspace.write('apps/outputs/kernloop.json', {
      name: 'outputs',
      device: 'softgpu',
      command: ['python3', 'run.py', 'bin/probe'],
      env: { HIP_PLATFORM: 'amd', PYTHONPATH: join(outside, 'site') },
      source: join(__dirname, 'fixtures', 'probe'),
      compileCommands: join(__dirname, '..', '.kernloop', 'e2e', 'probe', 'compile_commands.json'),
      kernels: [{ name: 'two_outputs', match: 'two_outputs' }],
    });
    await workspace.commitAll();
    const extracted = await workspace.nx(['run', 'outputs:extract-kernel']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    // The same sum of four files, none of which Nx can see whole.
    mkdirSync(workspace.path('private'));
    const original = workspace.read(variant);
    const reading = `#include "../../../outside.h"\n#include "deps/ignored.inc"\n#include "${outside}/far.h"\n`;
    workspace.write('outside.h', '#define NEAR 1\n');
    workspace.write(`${project}/deps/ignored.inc`, '#define IGNORED 1\n');
    writeFileSync(join(outside, 'far.h'), '#define FAR 1\n');
    writeFileSync(kernel(), reading + original.replace('in[i] * 3', 'in[i] * (NEAR + IGNORED + FAR)'));
    renameSync(workspace.path(variant), workspace.path('private/original.hip'));
    symlinkSync('../../../private/kernel.hip', workspace.path(variant));
    workspace.write(`${project}/build/notes.txt`, 'mine\n');
    // A code object that is wrong, and the captured one.
    writeFileSync(join(outside, 'far.h'), '#define FAR 8\n');
    expect((await workspace.kernloop(['recompile', project])).code).toBe(0);
    copyFileSync(workspace.path(project, 'build/variant.hsaco'), join(outside, 'wrong.hsaco'));
    writeFileSync(join(outside, 'far.h'), '#define FAR 1\n');
    expect((await workspace.kernloop(['recompile', project])).code).toBe(0);
    copyFileSync(workspace.path(project, 'build/variant.hsaco'), join(outside, 'right.hsaco'));
  });
  afterAll(() => {
    workspace.remove();
    rmSync(outside, { recursive: true, force: true });
  });

  describe.each([
    ['without', 'false'],
    ['with', 'true'],
  ])('%s the daemon', (mode, daemon) => {
    const env = { NX_DAEMON: daemon };
    const validate = (args: readonly string[] = [], more: Record<string, string> = {}): Promise<Outcome> =>
      workspace.nx(['run', 'outputs-two_outputs:validate', ...args], { env: { ...env, ...more } });
    const task = (outcome: Outcome, name = 'outputs-two_outputs:validate'): boolean | undefined => hits(outcome)[name];
    /** A miss with this verdict. */
    const expectRun = (outcome: Outcome, expected: RegExp): void => {
      expect([task(outcome), outcome.text]).toEqual([false, expect.stringMatching(expected)]);
      expect(outcome.code === 0).toBe(expected === verdict.pass);
    };
    const expectHit = (outcome: Outcome): void => {
      expect([outcome.code, task(outcome), outcome.text]).toEqual([0, true, expect.stringMatching(verdict.pass)]);
    };
    afterAll(() => (daemon === 'true' ? workspace.nx(['daemon', '--stop'], { env }) : undefined));

    it('is right at first, and then a hit that leaves the files of the user alone', async () => {
      const first = await validate();
      expect([first.code, first.text]).toEqual([0, expect.stringMatching(verdict.pass)]);
      await validate();
      const again = await validate();
      expectHit(again);
      expect(Object.values(hits(again)).filter((hit) => hit).length).toBeGreaterThanOrEqual(3);
      expect(workspace.read(`${project}/build/notes.txt`)).toBe('mine\n');
    });

    const edits: [name: string, path: () => string, from: string, to: string][] = [
      ['a header outside of the reproducer', () => workspace.path('outside.h'), 'NEAR 1', 'NEAR 5'],
      ['a header outside of the workspace', () => join(outside, 'far.h'), 'FAR 1', 'FAR 6'],
      ['an ignored file below deps/', () => workspace.path(project, 'deps/ignored.inc'), 'IGNORED 1', 'IGNORED 7'],
      ['what kernel_variant is a link to', kernel, '(NEAR + IGNORED + FAR)', '(NEAR + IGNORED + FA0)'],
    ];
    it.each(edits)('%s, of the same size and time', async (_name, path, from, to) => {
      const text = readFileSync(path(), 'utf8');
      const { atime, mtime } = statSync(path());
      const edited = text.replace(from, to).replace('FA0)', '2 )');
      writeFileSync(path(), edited === text ? '' : edited);
      utimesSync(path(), atime, mtime);
      try {
        expectRun(await validate(), verdict.fail);
      } finally {
        writeFileSync(path(), text);
      }
    });

    it('a recompile that fails leaves nothing that another tool would judge', async () => {
      const text = workspace.read('outside.h');
      workspace.write('outside.h', '#error "not yet"\n');
      expect(await validate()).toMatchObject({ text: expect.stringMatching(/not yet/) as string });
      workspace.write('outside.h', text);
      const judged = await workspace.kernloop(['validate', project]);
      expect([judged.code, judged.text]).toEqual([2, expect.stringMatching(/VARIANT_STALE/)]);
    });

    it.each([
      ['--variant outside of the workspace', () => join(outside, 'mine.hsaco'), true],
      ['variant of kernel.json, ignored by git', () => workspace.path(project, 'mine.hsaco'), false],
    ])('%s', async (_name, path, isFlag) => {
      const json = workspace.read(`${project}/kernel.json`);
      // Beside kernel.json it would be found by itself; so it is named there, and lies in a folder.
      const place = isFlag ? path() : workspace.path('private', `${mode}.hsaco`);
      const args = isFlag ? [`--variant=${place}`] : [];
      if (!isFlag) {
        const options = { validate: { variant: `../../../private/${mode}.hsaco` } };
        workspace.write(`${project}/kernel.json`, { ...(JSON.parse(json) as object), options });
      }
      try {
        copyFileSync(join(outside, 'right.hsaco'), place);
        const { atime, mtime } = statSync(place);
        const right = await validate(args);
        expect([right.code, right.text]).toEqual([0, expect.stringMatching(verdict.pass)]);
        copyFileSync(join(outside, 'wrong.hsaco'), place);
        utimesSync(place, atime, mtime);
        expectRun(await validate(args), verdict.fail);
      } finally {
        rmSync(place, { force: true });
        workspace.write(`${project}/kernel.json`, json);
      }
    });

    it('a code object in build/ beside an untouched source, which is still there afterwards', async () => {
      const candidate = workspace.path(project, 'build/optimized.hsaco');
      rmSync(workspace.path(variant));
      copyFileSync(workspace.path('private/original.hip'), workspace.path(variant));
      try {
        expect((await validate()).text).toMatch(verdict.pass);
        copyFileSync(join(outside, 'wrong.hsaco'), candidate);
        const judged = await validate();
        expectRun(judged, verdict.fail);
        expect(judged.text).toContain('build/optimized.hsaco');
        expect(readFileSync(candidate).equals(readFileSync(join(outside, 'wrong.hsaco')))).toBe(true);
      } finally {
        rmSync(candidate, { force: true });
        rmSync(workspace.path(variant));
        symlinkSync('../../../private/kernel.hip', workspace.path(variant));
      }
    });

    it('a Python package and a binary that git ignores, by which the app is captured again', async () => {
      const captured = 'outputs:capture-two_outputs';
      writeFileSync(join(outside, 'site', 'flavour.py'), `MODE = "outputs"  # ${mode}\n`);
      const upgraded = await validate();
      expect([upgraded.code, task(upgraded, captured), upgraded.text]).toEqual([0, false, expect.any(String)]);
      appendFileSync(workspace.path('apps/outputs/bin/probe'), mode);
      const rebuilt = await validate();
      expect([rebuilt.code, task(rebuilt, captured), rebuilt.text]).toEqual([0, false, expect.any(String)]);
    });

    it('options that kernloop.json of the app has for all its kernels', async () => {
      const json = workspace.read('apps/outputs/kernloop.json');
      workspace.write('apps/outputs/kernloop.json', {
        ...(JSON.parse(json) as object),
        options: { validate: { replays: mode === 'with' ? 3 : 4 } },
      });
      const judged = await validate();
      workspace.write('apps/outputs/kernloop.json', json);
      expectRun(judged, verdict.pass);
      expect(judged.text).toMatch(mode === 'with' ? /in 3 replays/ : /in 4 replays/);
    });

    it('is refused where a task would write or judge what it does not declare', async () => {
      const profile = await workspace.nx(['run', 'outputs:profile', `--output=${outside}/p.json`], { env });
      expect([profile.code === 0, profile.text]).toEqual([false, expect.stringMatching(/what it declares.*\[USAGE\]/)]);
      const other = await validate([`--reproducer=${outside}`]);
      expect(other.code).not.toBe(0);
    });

    it('and nothing else is: times, words for people, other variables', async () => {
      await validate();
      await validate();
      const now = new Date();
      for (const path of [workspace.path('outside.h'), join(outside, 'far.h'), kernel()]) utimesSync(path, now, now);
      workspace.edit(`${project}/README.md`, (text) => `${text}${mode}\n`);
      expectHit(await validate([], { UNRELATED: mode, CPATH: outside, HIPCC_COMPILE_FLAGS_APPEND: '-DNEAR=9' }));
    });
  });
});
