// Runs the first lines of README.md (a clone, `npm run quickstart`) verbatim, and the last of them again: seconds in
// total and per step, and the CPU time of all programs started.
//   node bench/quickstart.mjs [--keep]
// Clones the committed state into a temporary folder. Installed system packages stay: for a first run from nothing
// start it in a fresh Debian 12. Prints one JSON object, and writes it to bench/results/quickstart.json.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const keep = process.argv[2] === '--keep';
if (process.argv.length > (keep ? 3 : 2)) {
  process.stderr.write('usage: node bench/quickstart.mjs [--keep]\n');
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'kernloop-quickstart-'));
process.on('exit', () => {
  if (!keep) rmSync(scratch, { recursive: true, force: true });
});
const clone = join(scratch, 'kernloop');
// The first fence of README.md is typed in a checkout; a fresh clone is one that nothing was built in.
const [, fence = ''] = /^```sh[^\n]*\n([^]*?)^```/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
const [start = '', ...others] = fence.trim().split('\n');
if (others.length > 0 || !start.startsWith('npm ')) {
  process.stderr.write(`quickstart: README.md begins with other commands than one of npm:\n${fence}`);
  process.exit(1);
}
execFileSync('git', ['clone', root, clone], { stdio: 'inherit' });

/** bash prints the CPU time of all child processes in the last line of its stderr. */
function quickstart() {
  const script = "TIMEFORMAT='%U %S'; time " + start;
  const { status, stderr } = spawnSync('bash', ['-c', script], {
    cwd: clone,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  const lines = stderr.trimEnd().split('\n');
  const [user, system] = lines.pop().split(' ').map(Number);
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
  if (status !== 0) {
    process.stderr.write(`quickstart: ${start} ended with ${status}; --keep leaves its folder\n`);
    process.exit(1);
  }
  const { seconds, phases } = JSON.parse(readFileSync(join(clone, '.kernloop', 'logs', 'quickstart.json'), 'utf8'));
  return { seconds, cpu_seconds: Number((user + system).toFixed(1)), steps: phases };
}

const load_before = Number(loadavg()[0].toFixed(2));
const result = {
  bench: 'quickstart',
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['-C', clone, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  cpu: cpus()[0].model,
  hardware_threads: availableParallelism(),
  load_before,
  from_nothing: quickstart(),
  second: quickstart(),
};
const text = `${JSON.stringify(result, null, 2)}\n`;
process.stdout.write(text);
writeFileSync(join(root, 'bench', 'results', 'quickstart.json'), text);
if (keep) process.stderr.write(`the clone is in ${clone}\n`);
