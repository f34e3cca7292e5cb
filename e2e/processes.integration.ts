import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nativeDirectory, run } from './harness';
import { Workspace } from './in-process';

/** A program with several processes: native/capture/test/apps/process_app.hip. */
const program = join(nativeDirectory, 'capture', 'process_app.elf');

interface CaptureDocument {
  result: {
    captures: { name: string; process: { pid: number; command: string[] }; selfcheck: { verdict: string } }[];
    processes: { pid: number; parent_pid: number; command: string[]; dispatches: number }[];
  };
  error?: { code: string; message: string; hint: string };
}

describe('an app of several processes', () => {
  let workspace: Workspace;
  beforeAll(() => {
    expect(existsSync(program)).toBe(true);
    workspace = Workspace.create([]);
  });
  afterAll(() => workspace.remove());

  const app = (name: string, command: string[]): string => {
    workspace.write(`apps/${name}/kernloop.json`, {
      name,
      device: 'softgpu',
      command,
      kernels: [{ name: 'add', match: '^add_one' }],
    });
    return `apps/${name}`;
  };
  const json = async (verb: string, folder: string, extra: string[] = []) => {
    const { stdout, stderr, code } = await workspace.kernloop([verb, '--app', folder, '--json', ...extra]);
    return { code, stderr, document: JSON.parse(stdout) as CaptureDocument };
  };

  it('captures a daemon that outlives the command that started it', async () => {
    const folder = app('daemon', [program, 'daemon', workspace.path('pid')]);
    const { document, stderr } = await json('capture', folder);
    expect([document.error, stderr]).toEqual([undefined, expect.stringContaining('waiting for what it left running')]);
    const pid = Number(workspace.read('pid'));
    expect(document.result.captures).toMatchObject([
      { name: 'add', process: { pid }, selfcheck: { verdict: 'verified' } },
    ]);
  });

  it('tells the workers of a pool apart, in capture and profile', async () => {
    const folder = app('pool', [program, 'fork-pool', '2']);
    const { document } = await json('capture', folder);
    const { captures, processes } = document.result;
    expect(processes.map(({ dispatches }) => dispatches).sort()).toEqual([1, 2]);
    expect(processes.map(({ pid }) => pid)).toContain(captures[0]?.process.pid);
    const profile = await workspace.kernloop(['profile', '--app', folder]);
    expect(profile.text).toMatch(/over 2 processes\n *process \d+ \(.*fork-pool 2\): /);
  });

  it.each([
    [
      'env-i',
      ['env', '-i', `LD_LIBRARY_PATH=${join(nativeDirectory, 'lib', 'softgpu')}`, program, 'work', '2'],
      'APP_ENVIRONMENT_DROPPED',
    ],
    ['forked', [program, 'fork-after-init'], 'FORKED_AFTER_INIT'],
  ])('says why %s cannot be captured', async (name, command, code) => {
    const { document } = await json('capture', app(name, command));
    expect(document.error).toMatchObject({ code, message: expect.stringMatching(/process \d+/) as string });
  });

  it('says so for a static program, and beforehand in doctor', async () => {
    const source = workspace.path('static.c');
    workspace.write('static.c', 'int main(void) { return 0; }\n');
    const binary = workspace.path('static');
    expect((await run('cc', ['-static', '-o', binary, source])).code).toBe(0);
    const folder = app('static', [binary]);
    expect((await json('capture', folder)).document.error).toMatchObject({ code: 'APP_STATIC' });
    const doctor = await workspace.kernloop(['doctor', '--app', folder]);
    expect([doctor.code, doctor.text]).toEqual([5, expect.stringMatching(/MISSING +app: program .*statically linked/)]);
  });
});
