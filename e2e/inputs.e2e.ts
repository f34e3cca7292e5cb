import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workspace, type Outcome } from './harness';
import { probeProgram } from './probe';

/** plugins/kernel/hashes.spec.ts tests each input; here Nx runs as a whole, and its results are examined. */
describe('validate under Nx', () => {
  let workspace: Workspace;
  /** A folder outside the workspace. */
  let outside: string;
  const project = 'kernels/outputs/two_outputs';
  const variant = `${project}/kernel_variant.hip`;
  const header = () => join(outside, 'far.h');
  const verdict = { pass: /Result: PASS/, fail: /Result: FAIL/ };
  let untouched: string;
  let edited: string;

  /** Whether the cache answered, for each task of a run. */
  const hits = ({ text }: Outcome): Record<string, boolean> =>
    Object.fromEntries(
      [...text.matchAll(/nx run ([\w-]+:[\w-]+)(.*)$/gm)].map(([, task = '', more = '']) => [task, /cache/.test(more)]),
    );
  const validate = (args: readonly string[] = [], daemon = 'false'): Promise<Outcome> =>
    workspace.nx(['run', 'outputs-two_outputs:validate', ...args], { env: { NX_DAEMON: daemon } });

  beforeAll(async () => {
    outside = mkdtempSync(join(tmpdir(), 'kernloop-outside-'));
    workspace = Workspace.create([]);
    workspace.write('.gitignore', `${workspace.read('.gitignore')}bin\n`);
    mkdirSync(workspace.path('apps/outputs/bin'), { recursive: true });
    copyFileSync(await probeProgram(), workspace.path('apps/outputs/bin/probe'));
    // A Python app that consists of its packages and a binary that git does not see.
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
    untouched = workspace.read(variant);
    edited = `#include "${header()}"\n${untouched.replace('in[i] * 3', 'in[i] * FAR')}`;
    writeFileSync(header(), '#define FAR 3\n');
    workspace.write(`${project}/build/notes.txt`, 'mine\n');
  });
  beforeEach(() => workspace.write(variant, edited));
  afterAll(async () => {
    await workspace.nx(['daemon', '--stop'], { env: { NX_DAEMON: 'true' } });
    workspace.remove();
    rmSync(outside, { recursive: true, force: true });
  });

  it.each([
    ['without', 'false'],
    ['with', 'true'],
  ])(
    'is a hit %s the daemon that leaves the files of the user alone, and right after a change behind the back of Nx',
    async (mode, daemon) => {
      // The task runs again after a recompile.
      await validate([], daemon);
      await validate([], daemon);
      const again = await validate([], daemon);
      expect([again.code, hits(again), again.text]).toEqual([
        0,
        expect.objectContaining({
          'outputs:capture-two_outputs': true,
          'outputs-two_outputs:recompile': true,
          'outputs-two_outputs:validate': true,
        }),
        expect.stringMatching(verdict.pass),
      ]);
      expect(workspace.read(`${project}/build/notes.txt`)).toBe('mine\n');

      const { atime, mtime } = statSync(header());
      writeFileSync(header(), '#define FAR 5\n');
      utimesSync(header(), atime, mtime);
      writeFileSync(join(outside, 'site', 'flavour.py'), `MODE = "outputs"  # ${mode}\n`);
      const judged = await validate([], daemon);
      writeFileSync(header(), '#define FAR 3\n');
      expect([hits(judged), judged.text]).toEqual([
        expect.objectContaining({ 'outputs:capture-two_outputs': false, 'outputs-two_outputs:validate': false }),
        expect.stringMatching(verdict.fail),
      ]);
      expect(judged.code).not.toBe(0);
    },
  );

  it('leaves nothing that another tool would judge where the recompile fails', async () => {
    writeFileSync(header(), '#error "not yet"\n');
    const failed = await validate();
    writeFileSync(header(), '#define FAR 3\n');
    expect(failed.text).toMatch(/not yet/);
    const judged = await workspace.kernloop(['validate', project, '--no-recompile']);
    expect([judged.code, judged.text]).toEqual([2, expect.stringMatching(/VARIANT_MISSING/)]);
    const rebuilt = await workspace.kernloop(['validate', project]);
    expect([rebuilt.code, rebuilt.text]).toEqual([0, expect.stringMatching(verdict.pass)]);
  });

  it('judges a code object in build/ beside an untouched source, and leaves it there', async () => {
    const candidate = workspace.path(project, 'build/optimized.hsaco');
    writeFileSync(header(), '#define FAR 8\n');
    expect((await workspace.kernloop(['recompile', project])).code).toBe(0);
    const wrong = readFileSync(workspace.path(project, 'build/variant.hsaco'));
    writeFileSync(header(), '#define FAR 3\n');
    workspace.write(variant, untouched);
    expect((await validate()).text).toMatch(verdict.pass);
    writeFileSync(candidate, wrong);
    const judged = await validate();
    expect([hits(judged)['outputs-two_outputs:validate'], judged.text]).toEqual([
      false,
      expect.stringMatching(verdict.fail),
    ]);
    expect(judged.text).toContain('build/optimized.hsaco');
    expect(readFileSync(candidate).equals(wrong)).toBe(true);
    rmSync(candidate);
  });

  it('is not served for a code object that was exchanged between its hash and its judgement, and back', async () => {
    const candidate = workspace.path(project, 'build/optimized.hsaco');
    const [right, wrong] = ['right', 'wrong'].map((name) => join(outside, `${name}.hsaco`)) as [string, string];
    workspace.write(variant, untouched);
    expect((await workspace.kernloop(['recompile', project])).code).toBe(0);
    copyFileSync(workspace.path(project, 'build/variant.hsaco'), right);
    workspace.write(variant, edited);
    writeFileSync(header(), '#define FAR 8\n');
    expect((await workspace.kernloop(['recompile', project])).code).toBe(0);
    copyFileSync(workspace.path(project, 'build/variant.hsaco'), wrong);
    writeFileSync(header(), '#define FAR 3\n');
    workspace.write(variant, untouched);
    copyFileSync(wrong, candidate);
    // The hook runs when the process of the task starts, after Nx has hashed the task.
    const hook = join(outside, 'exchange.cjs');
    writeFileSync(
      hook,
      `const { copyFileSync } = require('node:fs');
      if (process.env.NX_TASK_TARGET_TARGET === 'validate' && !process.env.EXCHANGED) {
        process.env.EXCHANGED = '1';
        copyFileSync(${JSON.stringify(right)}, ${JSON.stringify(candidate)});
        process.on('exit', () => copyFileSync(${JSON.stringify(wrong)}, ${JSON.stringify(candidate)}));
      }`,
    );
    const exchanged = await workspace.nx(['run', 'outputs-two_outputs:validate'], {
      env: { NX_DAEMON: 'false', NODE_OPTIONS: `--require ${hook}` },
    });
    expect([exchanged.code === 0, exchanged.text]).toEqual([
      false,
      expect.stringMatching(/build\/optimized\.hsaco was changed after Nx had hashed it.*\[INPUT_CHANGED\]/),
    ]);
    expect(readFileSync(candidate).equals(readFileSync(wrong))).toBe(true);
    const judged = await validate();
    expect([judged.code === 0, hits(judged)['outputs-two_outputs:validate'], judged.text]).toEqual([
      false,
      false,
      expect.stringMatching(verdict.fail),
    ]);
    rmSync(candidate);
  });

  it('is refused where a task would write or judge what it does not declare', async () => {
    const profile = await workspace.nx(['run', 'outputs:profile', `--output=${outside}/p.json`]);
    expect([profile.code === 0, profile.text]).toEqual([false, expect.stringMatching(/what it declares.*\[USAGE\]/)]);
    const other = await validate([`--reproducer=${outside}`]);
    expect(other.code).not.toBe(0);
  });
});
