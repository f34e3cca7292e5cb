import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessTable } from '../support/processes';
import { AppWatch, type UnseenProcess } from './app-watch';
import { whyNoAgent } from './no-agent';

describe('AppWatch', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-watch-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const add = (pid: number, parent: number, environ: string | undefined, command: string, maps = ''): void => {
    mkdirSync(join(folder, String(pid)), { recursive: true });
    const files = {
      ...(environ === undefined ? {} : { environ }),
      cmdline: command,
      maps,
      status: `State:\tS\nPPid:\t${parent}\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, String(pid), name), text);
  };

  it('tells what kept our variables, what lost them and what is hidden, and which runtime they have', () => {
    const runtime = '1-2 r-xp 0 08:01 5 /opt/rocm/lib/libhsa-runtime64.so.1.9\n';
    add(10, 1, 'KERNLOOP_RECORDER_SOCKET=/s\0', 'sh\0run.sh\0');
    add(11, 10, 'PATH=/bin\0', 'app\0--fast\0', runtime);
    add(12, 10, undefined, 'sudo\0app\0');
    add(13, 10, '', '');
    add(20, 1, 'PATH=/bin\0', 'unrelated\0');
    const watch = new AppWatch(10, '/s', () => false, new ProcessTable(folder));
    watch.look();
    rmSync(join(folder, '11'), { recursive: true });
    watch.look();
    const seen = new Map(watch.processes().map((process) => [process.pid, process]));
    expect([...seen.keys()].sort()).toEqual([10, 11, 12]);
    expect(seen.get(10)).toMatchObject({ environment: 'kept', runtime: null });
    expect(seen.get(11)).toMatchObject({ environment: 'dropped', runtime: '/opt/rocm/lib/libhsa-runtime64.so.1.9' });
    expect(seen.get(12)).toMatchObject({ environment: 'hidden', command: ['sudo', 'app'] });
  });
});

describe('whyNoAgent', () => {
  const process = (overrides: Partial<UnseenProcess>): UnseenProcess => ({
    pid: 7,
    command: ['app', 'x'],
    environment: 'kept',
    runtime: null,
    ...overrides,
  });
  const likely = { code: 'APP_STATIC', what: 'static', hint: '' } as const;
  const why = (processes: UnseenProcess[], obstacles: (typeof likely)[] = []) =>
    whyNoAgent({ app: 'server', processes, obstacles, runtime: '/kernloop/libhsa-runtime64.so.1' });

  it('names the process whose environment was dropped, before what is only likely', () => {
    expect(why([process({}), process({ pid: 8, environment: 'dropped' })], [likely])).toMatchObject({
      code: 'APP_ENVIRONMENT_DROPPED',
      what: expect.stringContaining('process 8 (app x) of server') as string,
    });
  });

  it('says so where another user ran it', () => {
    expect(why([process({ environment: 'hidden' })])?.what).toMatch(/another user/);
  });

  it('names another runtime, but not the right one', () => {
    expect(why([process({ runtime: '/opt/rocm/lib/libhsa-runtime64.so.1' })])).toMatchObject({ code: 'RUNTIME_OTHER' });
    expect(why([process({ runtime: '/kernloop/libhsa-runtime64.so.1' })])).toBeUndefined();
  });

  it('gives what the program shows, else nothing', () => {
    expect(why([process({})], [likely])).toBe(likely);
    expect(why([])).toBeUndefined();
  });
});
