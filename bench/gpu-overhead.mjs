// What the agent costs a launch: a loop of launches without it, with it loaded and nothing that matches, and in one process before and
// after its last capture; processes take turns.
//   node bench/gpu-overhead.mjs [launches=200000] [rounds=12]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, median, must, root, rounded, run, workspace } from './gpu/host.mjs';

const launches = Number(process.argv[2] ?? 200000);
const rounds = Number(process.argv[3] ?? 12);
const folder = workspace([]);
const program = join(folder, 'launch_loop');
must(
  run('nvcc', ['-O2', '-std=c++17', '-arch=native', '-o', program, join(root, 'bench', 'gpu', 'launch_loop.cu')]),
  'nvcc',
);

const workloads = [
  { name: 'empty kernel', launches, ns: 0 },
  { name: '10 us kernel', launches: Math.round(launches / 10), ns: 8000 },
];
function app(name, args, match) {
  mkdirSync(join(folder, name));
  const config = { name, device: 'cuda', command: [program, ...args.map(String)], kernels: [{ name: 'k', match }] };
  writeFileSync(join(folder, name, 'kernloop.json'), JSON.stringify(config));
  return name;
}
/** ns a launch of the loops with this name; the first of them warms up. */
const loops = (text, name) =>
  [...text.matchAll(new RegExp(`^${name} ([\\d.]+)$`, 'gm'))].map(([, ns]) => Number(ns)).slice(1);

const records = workloads.map(({ name, launches: count, ns }, index) => {
  const [silent, between] = [
    app(`silent${index}`, [count, ns], 'nothing_is_called_so'),
    app(`between${index}`, [count, ns, 'between'], 'selected'),
  ];
  const samples = {
    without: [],
    'nothing matches': [],
    'before, no agent': [],
    'after, no agent': [],
    before: [],
    after: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    samples.without.push(...loops(must(run(program, [count, ns]), 'the app').text, 'loop'));
    samples['nothing matches'].push(...loops(kernloop(['capture', '--app', silent], { cwd: folder }).text, 'loop'));
    const { text: plain } = must(run(program, [count, ns, 'between']), 'the app');
    samples['before, no agent'].push(...loops(plain, 'loop'));
    samples['after, no agent'].push(...loops(plain, 'later'));
    const { text } = must(kernloop(['capture', '--app', between, '--no-self-check'], { cwd: folder }), 'capture');
    samples.before.push(...loops(text, 'loop'));
    samples.after.push(...loops(text, 'later'));
  }
  return {
    workload: name,
    launches: count,
    ns_per_launch: Object.fromEntries(Object.entries(samples).map(([key, values]) => [key, median(values)])),
    // Each process against itself: from one process to the next, the same loop differs by up to 1 %.
    after_capture: changes(samples.before, samples.after),
    after_nothing: changes(samples['before, no agent'], samples['after, no agent']),
    samples,
  };
});

function changes(before, after) {
  const each = after.map((ns, index) => ns - before[index]);
  return {
    median_ns: rounded(median(each), 1),
    least_ns: rounded(Math.min(...each), 1),
    most_ns: rounded(Math.max(...each), 1),
  };
}

const rows = [['workload', 'state', 'ns a launch', 'more', 'ratio']];
const verdicts = [];
const within = (value, limit, noise) =>
  value <= limit ? 'ok' : value <= limit + noise ? 'not told from noise' : 'too much';
for (const { workload, ns_per_launch: ns, after_capture: capture, after_nothing: nothing } of records) {
  const isEmpty = workload.startsWith('empty');
  // The same program twice without the agent: what differs between them is the machine.
  const noise = Math.abs(ns['before, no agent'] - ns.without);
  const more = ns['nothing matches'] - ns.without;
  const range = ({ median_ns: middle, least_ns: least, most_ns: most }) => `${middle} (${least} to ${most}) ns`;
  rows.push([workload, 'without the agent', ns.without.toFixed(1), `noise ${noise.toFixed(1)} ns`, '']);
  rows.push([
    workload,
    'nothing matches',
    ns['nothing matches'].toFixed(1),
    `${more.toFixed(1)} ns`,
    rounded(ns['nothing matches'] / ns.without, 4),
  ]);
  rows.push([workload, 'after one launch, no agent', ns['after, no agent'].toFixed(1), range(nothing), '']);
  rows.push([workload, 'after a capture', ns.after.toFixed(1), range(capture), rounded(ns.after / ns.before, 4)]);
  verdicts.push({
    workload,
    state: 'nothing matches',
    verdict: within(more, isEmpty ? 100 : ns.without * 0.02, noise),
  });
  // Not measurable: no more than what the loop changes by without us, or a thousandth of the launch.
  const most = Math.max(nothing.most_ns, ns.before / 1000);
  verdicts.push({ workload, state: 'after the capture', verdict: within(capture.median_ns, most, 0) });
}
for (const { workload, state, verdict } of verdicts) rows.push([workload, `${state}: ${verdict}`, '', '', '']);
conclude(
  'gpu-overhead',
  { limits: { empty_kernel_ns: 100, kernel_10us_ratio: 1.02 }, rounds, verdicts, records },
  rows,
  verdicts.every(({ verdict }) => verdict === 'ok'),
);
