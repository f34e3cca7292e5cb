// `node bench/timeline.mjs [EVENTS…]`: cost of `kernloop trace export` for a timeline of EVENTS events of two ranks
// (default 100000, 1000000 and 10000000): seconds of CPU time, peak memory, size. Memory must not grow with the events.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const counts = process.argv.slice(2).map(Number);
const formats = { perfetto: 'pftrace', chrome: 'chrome.json', html: 'html' };
const MiB = (bytes) => (bytes / 2 ** 20).toFixed(0).padStart(6);

function run(command, args, env = {}) {
  const ended = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${ended.status}`);
}

console.log('   events  format     CPU s    MiB held   MiB file');
for (const events of counts.length > 0 ? counts : [100_000, 1_000_000, 10_000_000]) {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-timeline-'));
  try {
    const file = join(folder, 't.kevents');
    const python = join(root, 'python', '.venv', 'bin', 'python3');
    run(python, [join(root, 'bench', 'timeline_events.py'), String(events), file], {
      PYTHONPATH: join(root, 'python', 'src'),
    });
    for (const [format, ending] of Object.entries(formats)) {
      const usage = join(folder, 'usage');
      run('/usr/bin/time', [
        ...['-o', usage, '-f', '%U %M', process.execPath, join(root, 'bin', 'kernloop.js'), 'trace', 'export'],
        ...[join(folder, 't_rank0.kevents'), '--ranks', join(folder, 't_rank1.kevents')],
        ...['--format', format, '--output', folder],
      ]);
      const [seconds, kibibytes] = readFileSync(usage, 'utf8').split(' ').map(Number);
      const size = statSync(join(folder, `t_rank0.${ending}`)).size;
      console.log(
        `${String(events).padStart(9)}  ${format.padEnd(8)} ${seconds.toFixed(1).padStart(7)}      ${MiB(kibibytes * 1024)}     ${MiB(size)}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
