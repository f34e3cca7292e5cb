import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { run } from './harness';
import { Workspace } from './in-process';

describe('recompile', () => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = Workspace.create(['examples/hip-pipeline']);
    const outcome = await workspace.kernloop([
      'extract',
      '--app',
      'apps/hip-pipeline',
      '--kernel',
      'saxpy',
      'clamp_to_range',
    ]);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
  });
  afterAll(() => workspace.remove());

  it.each(['saxpy', 'clamp_to_range'])("%s: opens no file of the app's tree", async (kernel) => {
    const project = workspace.path('kernels/hip-pipeline', kernel);
    const log = workspace.path('strace.log');
    const outcome = await run(
      'strace',
      [
        '-f',
        '-qq',
        '-e',
        'trace=openat,open,execve',
        '-o',
        log,
        process.execPath,
        workspace.program(),
        'recompile',
        '--reproducer',
        project,
      ],
      { cwd: workspace.root },
    );
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    const opened = readFileSync(log, 'utf8');
    expect(opened).toContain('kernel_variant');
    expect(opened.split('\n').filter((line) => line.includes(workspace.path('apps')))).toEqual([]);
  });

  it('works after the project was moved and the app is gone', async () => {
    renameSync(workspace.path('kernels/hip-pipeline/clamp_to_range'), workspace.path('moved'));
    renameSync(workspace.path('apps/hip-pipeline'), workspace.path('gone'));
    const options = ['--reproducer', 'moved'];
    expect(await workspace.kernloop(['recompile', ...options])).toMatchObject({ code: 0 });
    const verdict = await workspace.kernloop(['validate', ...options]);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('the Makefile of the project runs the loop without Nx', async () => {
    const env = {
      KERNLOOP: `${process.execPath} ${workspace.program()}`,
    };
    const make = (target: string) => run('make', ['-C', workspace.path('moved'), target], { env });
    for (const target of ['run', 'recompile', 'run-captured', 'run-variant', 'validate-variant']) {
      const outcome = await make(target);
      expect([target, outcome.code, outcome.text]).toEqual([target, 0, expect.any(String)]);
    }
    const variant = 'moved/kernel_variant.h';
    const original = workspace.read(variant);
    workspace.write(variant, `// edited\n${original}`);
    const passed = await make('validate');
    expect([passed.code, passed.text]).toEqual([0, expect.stringMatching(/variant build[^]*Result: PASS/)]);
    workspace.write(variant, `${original}\n#error "not yet"\n`);
    const refused = await make('validate');
    expect([refused.code, refused.text]).toEqual([2, expect.stringMatching(/not yet/)]);
    expect(refused.text).not.toContain('Result:');
    const captured = await make('validate-captured');
    expect([captured.code, captured.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    workspace.write(variant, original);
  });

  it('watches edits: builds, judges and compares each save, until its input ends', async () => {
    const variant = 'moved/kernel_variant.h';
    const original = workspace.read(variant);
    let said = '';
    const program = spawn(process.execPath, [workspace.program(), 'watch', 'moved', '--until-eof'], {
      cwd: workspace.root,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [program.stdout, program.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    /** Waits for a line of what was said since the last call. */
    const until = async (line: RegExp): Promise<void> => {
      while (!line.test(said)) await once(program.stdout, 'data');
      said = '';
    };
    await until(/Result: PASS \([^]*wave_instructions/);
    workspace.write(variant, `// edited\n${original}`);
    await until(/build\/variant\.hsaco from .*[^]*Result: PASS \([^]*wave_instructions .* → /);
    workspace.write(variant, original.replace('x[i] = range', 'x[i] = 1 + range'));
    await until(/Result: FAIL \(.*\) edited at .*kernel_variant\.h:\d+\n/);
    workspace.write(variant, original);
    program.stdin.end();
    expect((await once(program, 'close'))[0]).toBe(0);
  });

  it('no file of the project holds an absolute path of this machine', async () => {
    const found = await run('grep', [
      '-rlF',
      workspace.root,
      workspace.path('moved'),
      '--include=*',
      '--exclude-dir=capture',
      '--exclude-dir=build',
    ]);
    expect(found.stdout).toBe('');
  });
});
