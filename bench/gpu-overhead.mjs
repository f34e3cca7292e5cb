// Cost of the agent per launch while nothing matches, and after its last capture. Four processes alternate every few
// milliseconds: one with the agent, one with only CUPTI, and two without either, whose difference is the machine's
// noise.
//   node bench/gpu-overhead.mjs [launches=200000] [rounds=6]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, inParallel, kernloopCommand, median, must, root, rounded, run, workspace } from './gpu/host.mjs';

const launches = Number(process.argv[2] ?? 200000);
const rounds = Number(process.argv[3] ?? 6);
const turns = 100;
// With fewer, launches are counted in most turns, or no interval is conclusive.
if (!(launches >= 100000 && rounds >= 3)) throw new Error('at least 100000 launches and 3 rounds');
const folder = workspace([]);
const program = join(folder, 'launch_loop');
must(
  run('nvcc', ['-O2', '-std=c++17', '-arch=native', '-o', program, join(root, 'bench', 'gpu', 'launch_loop.cu')]),
  'nvcc',
);
const cuptiAlone = join(folder, 'libcupti_alone.so');
must(
  run('g++', [
    '-O2',
    '-std=c++17',
    '-shared',
    '-fPIC',
    '-o',
    cuptiAlone,
    join(root, 'bench', 'gpu', 'cupti_alone.cpp'),
  ]),
  'g++',
);

const workloads = [
  { workload: 'empty kernel', launches, ns: 0, limit: () => 100 },
  { workload: '10 us kernel', launches: Math.round(launches / 10), ns: 8000, limit: (launch) => launch * 0.02 },
];
// In `between`, `selected` is launched and captured halfway.
const programs = [
  { name: 'silent', match: 'nothing_is_called_so', more: [] },
  { name: 'between', match: 'selected', more: ['between'] },
];

/** Number of turns of LAUNCHES and a tenth more in which the agent still counts launches. */
const counted = (count) => Math.ceil(4096 / ((count / turns) * 1.1)) + 1;
/** Nanoseconds per launch of each turn with this name, except the first ones. */
const taken = (text, name, skipped) =>
  [...text.matchAll(new RegExp(`^${name} ([\\d.]+)$`, 'gm'))].map(([, ns]) => Number(ns)).slice(skipped);

/**
 * Runs the four programs side by side; returns the output of the two plain ones, of the one with CUPTI, and of the one
 * with the agent.
 */
async function takeTurns({ launches: count, ns }, { name, match, more }, round, label) {
  const file = join(folder, `${label}.turns`);
  writeFileSync(file, Buffer.alloc(4096));
  const place = (position) => (round + position) % 4;
  const args = (position) => [count / turns, ns, turns, file, place(position), 4, ...more].map(String);
  const app = join(folder, label);
  mkdirSync(app);
  const command = [program, ...args(3)];
  const config = { name: label, device: 'cuda', command, kernels: [{ name: 'k', match }] };
  writeFileSync(join(app, 'kernloop.json'), JSON.stringify(config));
  const ends = await inParallel(4, [
    [program, args(0)],
    [program, args(1)],
    [program, args(2), { env: { ...process.env, CUDA_INJECTION64_PATH: cuptiAlone } }],
    kernloopCommand(['capture', '--app', label, '--no-self-check'], { cwd: folder }),
  ]);
  const texts = ends.map(({ text }) => text);
  if (taken(texts[3], 'turn', 0).length === 0) throw new Error(`the program with the agent did not run:\n${texts[3]}`);
  // A capture without any match ends with an error.
  ends.slice(0, name === 'silent' ? 3 : 4).forEach((ended) => must(ended, `the ${label} program`));
  return texts;
}

/** Per turn: cost of the agent over the mean of the plain programs, and the difference of these. */
function compare(texts, name, skipped) {
  const [first, second, cupti, agent] = texts.map((text) => taken(text, name, skipped));
  const beyond = (values) => median(values.map((ns, turn) => ns - (first[turn] + second[turn]) / 2));
  return {
    without_ns: median([...first, ...second]),
    more_ns: beyond(agent),
    cupti_alone_ns: beyond(cupti),
    noise_ns: median(first.map((ns, turn) => ns - second[turn])),
  };
}

/** Student's t for 95 %, by degrees of freedom from 1; 2 for more. */
const student = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13];
/** Processes differ from each other more than turns of one: mean over processes, with its 95 % interval. */
function overProcesses(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(values.length - 1, 1);
  const half = (student[values.length - 2] ?? 2) * Math.sqrt(variance / values.length);
  return { mean_ns: rounded(mean, 1), from_ns: rounded(mean - half, 1), to_ns: rounded(mean + half, 1) };
}

const records = [];
for (const [index, workload] of workloads.entries()) {
  // Before its first match, `between` is in the same state as `silent`.
  const states = { 'nothing matches': [], 'after the last capture': [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const program of programs) {
      const texts = await takeTurns(workload, program, round, `${program.name}${index}-${round}`);
      states['nothing matches'].push(compare(texts, 'turn', counted(workload.launches)));
      if (program.name === 'between') states['after the last capture'].push(compare(texts, 'later', 2));
    }
  }
  for (const [state, samples] of Object.entries(states)) {
    const of = (key) => samples.map((sample) => sample[key]);
    const without = median(of('without_ns'));
    const more = overProcesses(of('more_ns'));
    // After the last capture, the cost must be indistinguishable from zero.
    const isLast = state.startsWith('after');
    const limit = isLast ? 0 : workload.limit(without);
    const [certain, possible] = isLast ? [more.from_ns, more.from_ns] : [more.to_ns, more.from_ns];
    records.push({
      workload: workload.workload,
      state,
      launches: workload.launches,
      without_ns: rounded(without, 1),
      more,
      cupti_alone: overProcesses(of('cupti_alone_ns')),
      noise: overProcesses(of('noise_ns')),
      limit_ns: rounded(limit, 1),
      verdict: certain <= limit ? 'ok' : possible <= limit ? 'not told from noise' : 'too much',
      processes: samples,
    });
  }
}

const rows = [
  [
    'workload',
    'state',
    'processes',
    'ns a launch without',
    'with the agent',
    'with CUPTI alone',
    'without again',
    'limit',
    '',
  ],
];
const shown = ({ mean_ns: mean, from_ns: from, to_ns: to }) => `${mean} (${from} … ${to})`;
for (const r of records) {
  const differences = [r.more, r.cupti_alone, r.noise].map(shown);
  rows.push([r.workload, r.state, r.processes.length, r.without_ns, ...differences, r.limit_ns, r.verdict]);
}
conclude(
  'gpu-overhead',
  { launches, rounds, turns, records },
  rows,
  records.every(({ verdict }) => verdict === 'ok'),
);
