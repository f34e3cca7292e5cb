// A judge that serves, under a seeded mix of candidates: right, wrong, not compiling, and 5% each that crash, hang, exhaust memory
// or are hostile; it is killed in between. Every accepted candidate must have exactly one verdict, the right one, and nothing may
// be left: no process, no descriptor, no file. Its last lines are a short table.
//   node bench/judge-soak.mjs [--candidates 20000] [--seed 1] [--jobs 2] [--kills 1] [--repeats 0.02] [--compile-limit-seconds 20]
//     [--state FOLDER] [--limit-minutes M]
// --state: keeps the home of the judge and what was told, and goes on there if it is called again. --limit-minutes: sends nothing
// after this time, of which half precedes a kill, and reports how many of all were done. --repeats: the part that repeats earlier
// candidates under other ids. KERNLOOP_BENCH_WORKSPACE keeps the capture for the next run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { conclude, kernloop, must, packageRoot, root, rounded } from './gpu/host.mjs';

const { values: given } = parseArgs({
  options: {
    ...{ candidates: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
    ...{ jobs: { type: 'string', default: String(cpus().length) }, kills: { type: 'string', default: '1' } },
    ...{ repeats: { type: 'string', default: '0.02' }, 'compile-limit-seconds': { type: 'string', default: '20' } },
    ...{ 'memory-mib': { type: 'string', default: '1024' }, 'limit-minutes': { type: 'string', default: 'Infinity' } },
    state: { type: 'string' },
  },
});
const [count, seed, kills, repeats] = [given.candidates, given.seed, given.kills, given.repeats].map(Number);
process.env.HIP_PLATFORM = 'amd';
const keptFolder = process.env.KERNLOOP_BENCH_WORKSPACE;
const folder = keptFolder ? resolve(keptFolder) : mkdtempSync(join(tmpdir(), 'kernloop-soak-'));
const own = mkdtempSync(join(tmpdir(), 'kernloop-soak-home-'));
process.on('exit', () =>
  [...(keptFolder ? [] : [folder]), own].forEach((path) => rmSync(path, { recursive: true, force: true })),
);
const [temporary, socket] = ['tmp', 'judge.sock'].map((name) => join(own, name));
const state = given.state ? resolve(given.state) : own;
mkdirSync(state, { recursive: true });
const [home, progressFile] = ['home', 'progress.json'].map((name) => join(state, name));
const asked = { candidates: count, seed, repeats };
/** Verdicts that earlier runs were told, in the same mix. */
const progress = existsSync(progressFile)
  ? JSON.parse(readFileSync(progressFile, 'utf8'))
  : { asked, told: {}, seconds: 0, runs: 0, kills: 0 };
if (JSON.stringify(progress.asked) !== JSON.stringify(asked))
  throw new Error(`${progressFile} is of another mix: ${JSON.stringify(progress.asked)}`);
mkdirSync(temporary);
mkdirSync(join(folder, 'apps'), { recursive: true });
writeFileSync(join(folder, 'nx.json'), '{}\n');
const [app, kernel] = ['hip-pipeline', 'saxpy'];
const reproducer = join(folder, 'kernels', app, kernel);
if (!existsSync(reproducer)) {
  cpSync(join(root, 'examples', app), join(folder, 'apps', app), { recursive: true });
  must(kernloop(['extract', '--app', `apps/${app}`], { cwd: folder, limitSeconds: 1800 }), 'extract');
}
const variant = 'kernel_variant.hip';
const text = readFileSync(join(reproducer, variant), 'utf8');
const WORK = 'if (i < n) y[i] = a * x[i] + y[i];';
if (!text.includes(WORK)) throw new Error(`${reproducer} has not the source that the mix edits`);

/** Numbers below 1 (mulberry32). */
function numbers(from) {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const work = (statements) => (files) => ({ [variant]: files.replace(WORK, statements) });
const beside = (more) => (files) => ({ [variant]: `${files}\n${more}\n` });
const asm = (path) => `__asm__ volatile(".pushsection .rodata\\n.incbin \\"${path}\\"\\n.popsection");`;

/** Candidates that are sent, how often, and the verdicts that are right. "refused": the judge does not accept it. */
const kinds = [
  ['right', 0.25, ['pass'], work(WORK)],
  ['right', 0.25, ['pass'], work('if (i >= n) return;\n  y[i] = a * x[i] + y[i];')],
  ['wrong', 0.1, ['fail'], work('if (i < n) y[i] = a * x[i] - y[i];')],
  ['wrong', 0.05, ['fail'], work('if (i + 1 < n) y[i] = a * x[i] + y[i];')],
  ['wrong', 0.05, ['fail'], work('if (i < 50000) y[i] = a * x[i] + y[i];')],
  ['not compiling', 0.1, ['not-compiled'], work('if (i < n) y[i] = undeclared * x[i];')],
  ['crash', 0.04, ['fault'], work(`${WORK}\n  if (i == 70) *(int*)0x123456789000 = 1;`)],
  ['crash', 0.01, ['not-compiled'], beside('#pragma clang __debug crash')],
  ['hang', 0.04, ['limit'], work(`${WORK}\n  while (*(volatile const float*)x != 12345.0f) {}`)],
  [
    'hang',
    0.01,
    ['not-compiled'],
    beside(
      'constexpr long spin(long n) { long s = 0; for (long i = 0; i < n; ++i) for (long k = 0; k < 1000000; ++k) s += k; return s; }\nstatic_assert(spin(1000000) != 1, "");',
    ),
  ],
  ['out of memory', 0.03, ['not-compiled'], beside('__device__ long much[1l << 28] = {1};')],
  [
    'out of memory',
    0.02,
    ['not-compiled', 'not-launched'],
    work('__shared__ float lds[1 << 22];\n  lds[i % 4096] = 0;\n  if (i < n) y[i] = a * x[i] + lds[n];'),
  ],
  ['hostile', 0.01, ['not-compiled'], beside(asm('/etc/passwd'))],
  ['hostile', 0.01, ['not-compiled'], beside(`#include "${join(reproducer, 'capture', 'capture.json')}"`)],
  ['hostile', 0.01, ['not-compiled'], beside('#include "/proc/1/environ"')],
  ['hostile', 0.01, ['refused'], (files) => ({ [variant]: files, '../../escape.h': '' })],
  ['hostile', 0.01, ['refused'], (files) => ({ [variant]: files, 'capture/selfcheck.json': '{}' })],
];
const total = kinds.reduce((sum, [, share]) => sum + share, 0);

function mix() {
  const next = numbers(seed);
  const all = [];
  while (all.length < count) {
    if (all.length > 50 && next() < repeats) {
      const earlier = all[Math.floor(next() * all.length)];
      all.push({ ...earlier, id: `c${all.length}`, isRepeat: true });
      continue;
    }
    let at = next() * total;
    const [kind, , verdicts, make] = kinds.find(([, share]) => (at -= share) < 0) ?? kinds[0];
    all.push({ id: `c${all.length}`, kind, verdicts, files: make(`${text}\n// ${seed} ${all.length}\n`) });
  }
  return all;
}

const require = createRequire(import.meta.url);
const isSource = packageRoot === root;
if (isSource) require(join(root, 'bin', 'source.js'));
const { JudgeClient } = require(join(packageRoot, isSource ? 'lib/judge/client.ts' : 'dist/lib/judge/client.js'));

let service;
/** A soak that is ended leaves no judge, which would hold the home. */
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    service?.kill('SIGTERM');
    process.exit(1);
  });
}
async function serve() {
  const words = ['judge', '--serve', socket, '--reproducer', reproducer, '--home', home, '--jobs', given.jobs];
  const limits = ['compile-limit-seconds', 'memory-mib'].flatMap((name) => [
    name === 'memory-mib' ? '--compile-limit-memory-mib' : `--${name}`,
    given[name],
  ]);
  service = spawn(process.execPath, [join(packageRoot, 'bin', 'kernloop.js'), ...words, ...limits], {
    cwd: own,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  service.stderr.on('data', (data) => (said = (said + data).slice(-4000)));
  const [first] = await Promise.race([once(service.stdout, 'data'), once(service, 'exit')]);
  if (!String(first).startsWith('judging')) throw new Error(`the judge did not start: ${said}`);
}

const statusOf = (pid, field) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`^${field}:\\s+(\\d+)`, 'm'))?.[1];
  } catch {
    return undefined;
  }
};
const descriptors = () => readdirSync(`/proc/${service.pid}/fd`).length;
const residentMib = () => Number(statusOf(service.pid, 'VmRSS') ?? 0) / 1024;
/** Processes that have this folder in their command: compilers, replays and sandboxes of this run. */
const processes = () =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === service.pid || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(temporary);
    } catch {
      return false;
    }
  }).length;
function mib(path) {
  const bytes = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  return bytes / 2 ** 20;
}
/** The compiler of TypeScript has one, if the judge runs from sources. */
const left = () => readdirSync(temporary).filter((name) => !name.startsWith('swc-')).length;

let candidates = mix();
const client = new JudgeClient({ address: socket, patienceSeconds: 300 });
const got = new Map(Object.entries(progress.told));
const problems = [];
function saveProgress(seconds) {
  const now = { ...progress, told: Object.fromEntries(got), seconds: progress.seconds + seconds };
  writeFileSync(`${progressFile}.partial`, JSON.stringify(now));
  renameSync(`${progressFile}.partial`, progressFile);
}
await serve();
const before = { descriptors: descriptors(), rss: residentMib(), folders: left() };
let mostMib = 0;
let isOver = false;
const watching = (async () => {
  while (!isOver) {
    mostMib = Math.max(mostMib, residentMib());
    await Promise.race([delay(1000), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
  }
})();
const began = performance.now();
const minutes = () => (performance.now() - began) / 60_000;
const limitMinutes = Number(given['limit-minutes']);
const earlier = candidates.filter(({ id }) => got.has(id)).length;
/** Kills by the number of candidates; a run with a limit may not come so far, and has one at half of its time. */
const killAt = Array.from({ length: kills }, (_, index) => Math.floor(((index + 1) * count) / (kills + 1))).filter(
  (at) => at >= earlier,
);
let isKilledByTime = kills === 0 || limitMinutes === Infinity;
let killed = 0;
async function kill() {
  killed += 1;
  // Some of what was sent last is compiled or judged now.
  await delay(1500);
  service.kill('SIGKILL');
  await once(service, 'exit');
  await serve();
}

/** Waits for some verdicts, and counts those that were told twice. */
async function judgedOf(ids) {
  for await (const { judgement } of client.verdicts(ids))
    got.set(judgement.id, [...(got.get(judgement.id) ?? []), judgement.verdict]);
}

const waiting = new Set();
/** Candidates of one request; four requests are under way, which a limit in minutes waits for. */
const atOnce = 25;
const open = candidates.filter(({ id }) => !got.has(id));
for (let first = 0; first < open.length && minutes() < limitMinutes; first += atOnce) {
  const part = open.slice(first, first + atOnce);
  const sent = await client.submitAll(part.map(({ id, files }) => ({ id, files })));
  const accepted = part.filter(({ verdicts }, index) => {
    if (!('error' in sent[index])) return true;
    if (!verdicts.includes('refused')) problems.push(`${part[index].id} was refused: ${sent[index].error.message}`);
    got.set(part[index].id, ['refused']);
    return false;
  });
  const judged = judgedOf(accepted.map(({ id }) => id)).finally(() => waiting.delete(judged));
  waiting.add(judged);
  const isDue = !isKilledByTime && minutes() > limitMinutes / 2;
  if (isDue || (killAt[0] !== undefined && earlier + first + atOnce > killAt[0])) {
    if (isDue) isKilledByTime = true;
    else killAt.shift();
    await kill();
  }
  while (waiting.size >= 4) await Promise.race(waiting);
  saveProgress(minutes() * 60);
}
await Promise.all(waiting);
const seconds = minutes() * 60;
progress.runs += 1;
progress.kills += killed;
saveProgress(seconds);
const all = candidates.length;
candidates = candidates.filter(({ id }) => got.has(id));
const doneNow = candidates.length - earlier;
isOver = true;
await watching;

for (const { id, verdicts } of candidates) {
  const told = got.get(id) ?? [];
  if (told.length !== 1) problems.push(`${id} has ${told.length} verdicts`);
  else if (!verdicts.includes(told[0])) problems.push(`${id}: ${told[0]} for ${verdicts.join(' or ')}`);
  const file = join(home, 'verdicts', `${id}.json`);
  if (told[0] === 'refused') continue;
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).judgement.verdict : 'none';
  if (kept !== told[0]) problems.push(`${id}: ${told[0]} was told, and ${kept} is kept`);
}
const promised = readdirSync(join(home, 'accepted')).length;
if (promised > 0) problems.push(`${promised} promises are left`);
await delay(1000);
const after = { descriptors: descriptors(), rss: residentMib(), folders: left(), processes: processes() };
if (after.processes > 0) problems.push(`${after.processes} processes are left`);
// Connections of this client may still be open.
if (after.descriptors > before.descriptors + 8) problems.push(`${after.descriptors} descriptors are open`);
const candidateFolders = readdirSync(temporary).flatMap((name) =>
  readdirSync(join(temporary, name)).filter((each) => each.startsWith('candidate-')),
).length;
const disk = { home: mib(home), temporary: mib(temporary) };
service.kill('SIGTERM');
await once(service, 'exit');
const leftAtEnd = left();
if (leftAtEnd > 0)
  problems.push(`${leftAtEnd} folders for temporary files are left: ${readdirSync(temporary).join(', ')}`);

for (const problem of problems.slice(0, 20)) console.log(`! ${problem}`);
const byKind = [...new Set(kinds.map(([kind]) => kind))].map((kind) => {
  const mine = candidates.filter((one) => one.kind === kind);
  return [kind, mine.length, mine.filter(({ id, verdicts }) => verdicts.includes(got.get(id)?.[0])).length];
});
const record = {
  ...{ asked: all, done: candidates.length, is_complete: candidates.length === all, runs: progress.runs },
  ...{ seed, jobs: Number(given.jobs), kills: progress.kills, repeats, cores: cpus().length },
  repeated: candidates.filter(({ isRepeat }) => isRepeat).length,
  ...{
    seconds: rounded(progress.seconds + seconds, 1),
    last_run: {
      done: doneNow,
      seconds: rounded(seconds, 1),
      an_hour: Math.round((doneNow / seconds) * 3600),
      kills: killed,
    },
    load: rounded(loadavg()[0], 1),
  },
  kinds: Object.fromEntries(byKind.map(([kind, sent, right]) => [kind, { sent, right }])),
  service_mib: { before: rounded(before.rss, 0), most: rounded(mostMib, 0), after: rounded(after.rss, 0) },
  descriptors: { before: before.descriptors, after: after.descriptors },
  ...{ processes_left: after.processes, candidate_folders: candidateFolders, folders_left: leftAtEnd },
  disk_mib: { home: rounded(disk.home, 1), temporary: rounded(disk.temporary, 1) },
  problems: problems.slice(0, 100),
};
conclude(
  'judge-soak',
  record,
  [
    ['candidates', 'sent', 'right'],
    ...byKind,
    ['done, of', candidates.length, all],
    ['runs, kills', progress.runs, progress.kills],
    ['last run: done, an hour', doneNow, record.last_run.an_hour],
    ['service MiB before, most, after', Object.values(record.service_mib).join(', '), ''],
    ['descriptors before, after', Object.values(record.descriptors).join(', '), ''],
    ['processes, folders left', `${after.processes}, ${leftAtEnd}`, ''],
  ],
  problems.length === 0,
);
