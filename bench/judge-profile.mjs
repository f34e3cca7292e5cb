// CPU of one candidate by part: node itself, and each program that the judge starts, by kind (compilation, each replay). With perf, also
// by the name of each process: driver, front end, linker, sandbox, replay. One candidate at a time.
//   node bench/judge-profile.mjs [--candidates 20] [--kernel saxpy] [--perf]
// KERNLOOP_BENCH_WORKSPACE names a folder that keeps the captures for the next run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuSeconds, judgedBy } from './cheats/judging.mjs';
import { conclude } from './gpu/host.mjs';
import { countedParts } from './judge-parts.mjs';
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

const parts = countedParts();

const home = mkdtempSync(join(tmpdir(), 'kernloop-profile-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
const settings = { reproducer: [reproducer], home, jobs: 1, compileLimitSeconds: 600 };
const candidate = (index) => ({ files: { 'kernel_variant.hip': `${text}\n// candidate ${index}\n` } });
let began;
let own;
await judgedBy(parts.wrap, settings, async (judge) => {
  for (let index = 0; index < before + count; index += 1) {
    if (index === before) {
      parts.begin();
      began = cpuSeconds();
      own = process.cpuUsage();
    }
    const { judgement } = await judge.verdict(judge.submit(candidate(index)).id);
    if (judgement.verdict !== 'pass') throw new Error(`a right edit has the verdict ${judgement.verdict}`);
  }
  const { user, system } = process.cpuUsage(own);
  parts.add('node', (user + system) / 1e6);
  parts.add('all', cpuSeconds() - began);
});

const rows = parts.rows(count);
const record = {
  kernel: given.kernel,
  candidates: count,
  parts: Object.fromEntries(rows.map(([part, , cpu]) => [part, cpu])),
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
  for (const [name, share] of Object.entries(record.processes)) rows.push([`process ${name}`, '', `${share} %`, '']);
}
conclude('judge-profile', record, [['part', 'programs', 'CPU seconds each', 'wall seconds each'], ...rows], true);
