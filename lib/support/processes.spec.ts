import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessTable } from './processes';

describe('ProcessTable', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-proc-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const add = (
    pid: number,
    parent: number,
    files: { environ?: string; cmdline?: string; maps?: string; state?: string } = {},
  ): void => {
    const { environ, cmdline = '', maps = '', state = 'S (sleeping)' } = files;
    mkdirSync(join(folder, String(pid)));
    const all = {
      ...(environ === undefined ? {} : { environ }),
      cmdline,
      maps,
      status: `Name:\tx\nState:\t${state}\nPPid:\t${parent}\n`,
    };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, String(pid), name), text);
  };

  it('finds processes by a whole variable of their environment, dead ones and those of others left out', () => {
    add(10, 1, { environ: 'A=1\0SOCKET=/tmp/a\0' });
    add(11, 1, { environ: 'SOCKET=/tmp/ab\0' });
    add(12, 1, { environ: 'OLD_SOCKET=/tmp/a\0' });
    add(13, 1, { environ: 'SOCKET=/tmp/a\0', state: 'Z (zombie)' });
    add(14, 1);
    mkdirSync(join(folder, 'self'));
    expect(new ProcessTable(folder).withVariable('SOCKET', '/tmp/a')).toEqual([10]);
  });

  it('follows parents downward, in any order of the numbers', () => {
    add(50, 1);
    add(30, 50);
    add(40, 30);
    add(20, 1);
    expect(new ProcessTable(folder).descendants(50).sort()).toEqual([30, 40, 50]);
    expect(new ProcessTable(folder).descendants(99)).toEqual([]);
  });

  it('reads the command and the code that is mapped', () => {
    const maps = [
      '7f00-7f01 r--p 0 08:01 5   /lib/one.so',
      '7f01-7f02 r-xp 0 08:01 5   /lib/one.so',
      '7f02-7f03 r-xp 0 08:01 6   /lib/two with space.so',
      '7f03-7f04 rw-p 0 08:01 7   /data',
      '7f04-7f05 r-xp 0 00:00 0   [vdso]',
    ];
    add(10, 1, { cmdline: 'app\0--name\0two words\0', maps: maps.join('\n') });
    const table = new ProcessTable(folder);
    expect(table.command(10)).toEqual(['app', '--name', 'two words']);
    expect(table.libraries(10)).toEqual(['/lib/one.so', '/lib/two with space.so']);
    expect(table.libraries(11)).toEqual([]);
  });

  it('sees real processes, as long as they live', async () => {
    const marker = join(folder, 'marker');
    const child: ChildProcess = spawn('sleep', ['60'], { env: { ...process.env, KERNLOOP_TEST_MARKER: marker } });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.once('spawn', resolve));
    const table = new ProcessTable();
    expect(table.withVariable('KERNLOOP_TEST_MARKER', marker)).toEqual([child.pid]);
    expect(table.descendants(process.pid)).toContain(child.pid);
    child.kill('SIGKILL');
    await ended;
    expect(table.withVariable('KERNLOOP_TEST_MARKER', marker)).toEqual([]);
  });
});
