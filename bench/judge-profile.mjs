// CPU of one candidate by part: node itself, and each program that the judge starts, by kind (compilation, each replay). With perf, also
// by the name of each process: driver, front end, linker, sandbox, replay. One candidate at a time.
//   node bench/judge-profile.mjs [--candidates 20] [--kernel saxpy] [--perf]
// KERNLOOP_BENCH_WORKSPACE names a folder that keeps the captures for the next run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuSeconds, judgedBy } from './cheats/judging.mjs';
import { conclude, rounded } from './gpu/host.mjs';
import { pipelineReproducer } from './judge-workspace.mjs';

const { values: given } = parseArgs({
  options: {
    ...{ candidates: { type: 'string', default: '20' }, kernel: { type: 'string', default: 'saxpy' } },
    ...{ perf: { type: 'boolean', default: false }, before: { type: 'string', default: '4' } },
  },
});
const [count, before] = [given.candidates, given.before].map(Number);
const reproducer = pipelineReproducer(given.kernel);
const text = readFileSync(join(reproducer, 'kernel_variant.hip'), 'utf8');

/** CPU seconds by part, and how many programs it was. */
const parts = new Map();
let isCounted = false;
function add(part, seconds) {
  if (!isCounted) return;
  const known = parts.get(part) ?? { programs: 0, seconds: 0 };
  parts.set(part, { programs: known.programs + 1, seconds: known.seconds + seconds });
}

/** The part that a program is. */
function partOf(file, args) {
  const program = basename(file);
  if (program !== 'kernloop-replay') return program === 'kernloop-sandbox' ? compilationOf(args) : program;
  if (args.includes('--derive')) return 'replay: derived inputs';
  if (args.includes('--adverse')) return 'replay: adverse order';
  return args.includes('--machine-in-use') ? 'replay: first, on a machine in use' : 'replay: second';
}
const compilationOf = (args) => `compilation: ${args.includes('-cc1') ? 'front end' : 'driver'}`;

const wrap = (deps) => ({
  ...deps,
  run: (file, args, options) => {
    const running = deps.run(file, args, options);
    void running.result.then(({ cpuSeconds: seconds = 0 }) => add(partOf(file, args), seconds));
    return running;
  },
});

const home = mkdtempSync(join(tmpdir(), 'kernloop-profile-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
const settings = { reproducer: [reproducer], home, jobs: 1, compileLimitSeconds: 600 };
const candidate = (index) => ({ files: { 'kernel_variant.hip': `${text}\n// candidate ${index}\n` } });
let began;
let own;
await judgedBy(wrap, settings, async (judge) => {
  for (let index = 0; index < before + count; index += 1) {
    if (index === before) {
      isCounted = true;
      began = cpuSeconds();
      own = process.cpuUsage();
    }
    const { judgement } = await judge.verdict(judge.submit(candidate(index)).id);
    if (judgement.verdict !== 'pass') throw new Error(`a right edit has the verdict ${judgement.verdict}`);
  }
  const { user, system } = process.cpuUsage(own);
  isCounted = true;
  add('node', (user + system) / 1e6);
  isCounted = false;
  parts.set('all', { programs: count, seconds: cpuSeconds() - began });
});

const rows = [...parts].map(([part, { programs, seconds }]) => [
  ...[part, rounded(programs / count, 2), rounded(seconds / count, 3)],
]);
const record = {
  kernel: given.kernel,
  candidates: count,
  parts: Object.fromEntries(rows.map(([part, , each]) => [part, each])),
};
if (given.perf) {
  const data = join(home, 'perf.data');
  const again = [fileURLToPath(import.meta.url), '--candidates', String(count), '--kernel', given.kernel];
  spawnSync('perf', ['record', '-q', '-e', 'cpu-clock', '-F', '499', '-o', data, '--', process.execPath, ...again], {
    stdio: 'ignore',
  });
  const told = spawnSync('perf', ['report', '-i', data, '--stdio', '--sort', 'comm'], { encoding: 'utf8' }).stdout;
  record.processes = Object.fromEntries(
    [...told.matchAll(/^\s+([\d.]+)%\s+(\S.*?)\s*$/gm)].map(([, share, name]) => [name, Number(share)]),
  );
  for (const [name, share] of Object.entries(record.processes)) rows.push([`process ${name}`, '', `${share} %`]);
}
conclude('judge-profile', record, [['part', 'programs', 'CPU seconds each'], ...rows], true);
