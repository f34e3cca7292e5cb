import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLively, LiveLine } from './live-line';
import { progressText, type Progress } from './progress-text';

const mib = 1024 * 1024;
const sent = (done: number): Progress => ({ what: 'sent', done, total: 40, unit: 'chunks', bytes: done * 4 * mib });

describe('how far work is, as text', () => {
  it.each<[Progress, number, string]>([
    [{ what: 'captured', done: 512, unit: 'bytes' }, 0, 'captured 512 B'],
    [{ what: 'captured', done: 6 * mib, unit: 'bytes' }, 3000, 'captured 6.0 MiB, 2.0 MiB/s'],
    [sent(10), 10_000, 'sent 10 of 40 chunks (25 %), 40.0 MiB, 4.0 MiB/s, 30 s left'],
    [sent(1), 10_000, 'sent 1 of 40 chunks (2 %), 4.0 MiB, 409.6 KiB/s, 6 min 30 s left'],
    [sent(1), 1_000_000, 'sent 1 of 40 chunks (2 %), 4.0 MiB, 4.1 KiB/s, 10 h 50 min left'],
    [sent(40), 10_000, 'sent 40 of 40 chunks (100 %), 160.0 MiB, 16.0 MiB/s'],
    [{ what: 'looked into', done: 3, total: 0, unit: 'files' }, 2000, 'looked into 3 of 0 files'],
    [{ what: 'app: built', done: 12, total: 100, unit: '%' }, 0, 'app: built 12 %'],
  ])('%j after %i ms', (progress, ms, text) => {
    const nothing = { ...progress, done: 0, ...(progress.bytes === undefined ? {} : { bytes: 0 }) };
    expect(progressText(progress, ms, nothing)).toBe(text);
  });

  it('tells the speed of what is done since it began, not of what was done before', () => {
    const from = { what: 'captured', done: 600 * mib, total: 1000 * mib, unit: 'bytes' };
    const now = { ...from, done: 700 * mib };
    expect(progressText(now, 10_000, from)).toBe('captured 700.0 MiB of 1000.0 MiB (70 %), 10.0 MiB/s, 30 s left');
    expect(progressText(sent(20), 10_000, sent(10))).toBe(
      'sent 20 of 40 chunks (50 %), 80.0 MiB, 4.0 MiB/s, 20 s left',
    );
    expect(progressText(from, 10_000, from)).toBe('captured 600.0 MiB of 1000.0 MiB (60 %)');
  });
});

describe('a line that may be drawn again', () => {
  const terminal = { isTTY: true, columns: 80, write: () => true };

  it.each<[string, boolean, Record<string, string>]>([
    ['a terminal', true, {}],
    ['without colours, of which it has none', true, { NO_COLOR: '1' }],
    ['in CI', false, { CI: 'true' }],
    ['where CI says that it is none', true, { CI: 'false' }],
    ['a dumb terminal', false, { TERM: 'dumb' }],
    ['a task of Nx', false, { NX_TASK_TARGET_PROJECT: 'app' }],
    ['where plain lines are asked for', false, { KERNLOOP_PROGRESS: 'plain' }],
  ])('%s: %s', (_, lively, env) => {
    expect(isLively(terminal, env)).toBe(lively);
    expect(isLively({ ...terminal, isTTY: false }, env)).toBe(false);
  });

  const drawn = (lively: boolean, columns = 80) => {
    let text = '';
    let ms = 0;
    const stream = { isTTY: lively, columns, write: (part: string) => (text += part) };
    const line = new LiveLine(stream, lively, () => ms);
    return {
      line,
      after: (more: number): number => (ms += more),
      say: (words: string) => line.around(() => stream.write(words), words),
      text: (): string => text,
    };
  };

  it('gives way to what is said, and comes back below it; never into the middle of a line of others', () => {
    const { line, say, text, after } = drawn(true);
    line.show(sent(1));
    say('warning: slow\n');
    after(200);
    say('half a li');
    line.show(sent(2));
    after(200);
    say('ne\n');
    line.show(null);
    say('done\n');
    const clear = '\r\x1b[2K';
    const one = `${clear}sent 1 of 40 chunks (2 %), 4.0 MiB`;
    const two = `${clear}sent 2 of 40 chunks (5 %), 8.0 MiB`;
    expect(text()).toBe(`${one}${clear}warning: slow\n${one}${clear}half a line\n${two}${clear}done\n`);
  });

  it('fits the terminal, and shows no control characters of others', () => {
    const { line, text } = drawn(true, 20);
    line.show({ ...sent(1), what: '\x1b[31mevil\x1b[0m\nname' });
    expect(text()).toBe('\r\x1b[2Kevil name 1 of 40 …');
  });

  it('takes a terminal of no size for one of 80 columns', () => {
    const { line, text } = drawn(true, 0);
    line.show(sent(1));
    expect(text()).toBe('\r\x1b[2Ksent 1 of 40 chunks (2 %), 4.0 MiB');
  });

  it('is a plain line now and then where there is no terminal, and none for what is quick', () => {
    const { line, text, after } = drawn(false);
    for (let done = 1; done <= 10; done += 1) {
      line.show(sent(done));
      after(500);
    }
    line.show(null);
    expect(text().split('\n')).toEqual([
      'sent 5 of 40 chunks (12 %), 20.0 MiB, 8.0 MiB/s, 18 s left',
      'sent 9 of 40 chunks (22 %), 36.0 MiB, 8.0 MiB/s, 16 s left',
      '',
    ]);
  });

  it('on a real terminal: what stays is what was said', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-pty-'));
    try {
      const root = join(__dirname, '..', '..');
      const program = join(folder, 'program.js');
      writeFileSync(
        program,
        `require(${JSON.stringify(join(root, 'bin', 'source.js'))});
         const { consoleReporter } = require(${JSON.stringify(join(__dirname, 'report.ts'))});
         const report = consoleReporter();
         report.progress({ what: 'captured', done: 512, unit: 'bytes' });
         report.info('said');
         report.result('result');
         report.progress(null);
         report.info('end');`,
      );
      const env = { PATH: process.env['PATH'], TERM: 'xterm' };
      const onTerminal = (more: object): string =>
        execFileSync('script', ['-qec', `stty cols 40; ${process.execPath} ${program}`, '/dev/null'], {
          encoding: 'utf8',
          env: { ...env, ...more },
          stdio: ['ignore', 'pipe', 'ignore'],
        });
      const line = '\r\x1b[2Kcaptured 512 B';
      const clear = '\r\x1b[2K';
      expect(onTerminal({})).toBe(`${line}${clear}said\r\n${line}${clear}result\r\n${line}${clear}end\r\n`);
      expect(onTerminal({ CI: 'true' })).toBe('said\r\nresult\r\nend\r\n');
      expect(onTerminal({ TERM: 'dumb' })).toBe('said\r\nresult\r\nend\r\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
