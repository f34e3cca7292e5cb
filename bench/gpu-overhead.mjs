// What the agent costs a launch while nothing matches, and after its last capture. Four processes take turns of some milliseconds: one
// with the agent, one with nothing but CUPTI, and two without either, whose difference is the machine's noise.
//   node bench/gpu-overhead.mjs [launches=200000] [rounds=6]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, inParallel, kernloopCommand, median, must, root, rounded, run, workspace } from './gpu/host.mjs';

const launches = Number(process.argv[2] ?? 200000);
const rounds = Number(process.argv[3] ?? 6);
const turns = 100;
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
// In the second one, `selected` is launched and captured half of the way.
const programs = [
  { name: 'silent', match: 'nothing_is_called_so', more: [] },
  { name: 'between', match: 'selected', more: ['between'] },
];

/** Turns, of LAUNCHES and a tenth of them, in which the agent still counts launches. */
const counted = (count) => Math.ceil(4096 / ((count / turns) * 1.1)) + 1;
/** ns a launch of each turn with this name, without the first ones. */
const taken = (text, name, skipped) =>
  [...text.matchAll(new RegExp(`^${name} ([\\d.]+)$`, 'gm'))].map(([, ns]) => Number(ns)).slice(skipped);

/** The four side by side: the texts of the two without anything, of the one with CUPTI, and of the one with the agent. */
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
  // Nothing matching is no success of a capture.
  ends.slice(0, name === 'silent' ? 3 : 4).forEach((ended) => must(ended, `the ${label} program`));
  return texts;
}

/** Turn by turn: what the agent adds to the mean of the others, and what these differ by. */
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

const records = [];
for (const [index, workload] of workloads.entries()) {
  const states = { 'nothing matches': [], 'before a capture': [], 'after the last capture': [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const program of programs) {
      const texts = await takeTurns(workload, program, round, `${program.name}${index}-${round}`);
      if (program.name === 'silent') {
        states['nothing matches'].push(compare(texts, 'turn', counted(workload.launches)));
      } else {
        states['before a capture'].push(compare(texts, 'turn', counted(workload.launches)));
        states['after the last capture'].push(compare(texts, 'later', 2));
      }
    }
  }
  for (const [state, samples] of Object.entries(states)) {
    const of = (key) => samples.map((sample) => sample[key]);
    const without = median(of('without_ns'));
    const more = median(of('more_ns'));
    const noise = median(of('noise_ns').map(Math.abs));
    // Not measurable: no more than what two programs without the agent differ by, or a thousandth of the launch.
    const limit = state.startsWith('after') ? Math.max(noise, without / 1000) : workload.limit(without);
    const verdict = more <= limit ? 'ok' : more - noise <= limit ? 'not told from noise' : 'too much';
    records.push({
      workload: workload.workload,
      state,
      launches: workload.launches,
      without_ns: rounded(without, 1),
      more_ns: rounded(more, 1),
      least_ns: rounded(Math.min(...of('more_ns')), 1),
      most_ns: rounded(Math.max(...of('more_ns')), 1),
      cupti_alone_ns: rounded(median(of('cupti_alone_ns')), 1),
      noise_ns: rounded(noise, 1),
      limit_ns: rounded(limit, 1),
      verdict,
      rounds: samples,
    });
  }
}

const rows = [
  [
    'workload',
    'state',
    'ns a launch without',
    'more with the agent',
    'least … most',
    'CUPTI alone',
    'noise',
    'limit',
    '',
  ],
];
for (const r of records) {
  const range = `${r.least_ns} … ${r.most_ns}`;
  rows.push([r.workload, r.state, r.without_ns, r.more_ns, range, r.cupti_alone_ns, r.noise_ns, r.limit_ns, r.verdict]);
}
conclude(
  'gpu-overhead',
  { launches, rounds, turns, records },
  rows,
  records.every(({ verdict }) => verdict === 'ok'),
);
