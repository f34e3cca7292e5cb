// What the agent costs a launch: a loop of launches without it, with it loaded and nothing that matches, and after the last capture;
// processes take turns.
//   node bench/gpu-overhead.mjs [launches=200000] [rounds=5]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, median, must, root, rounded, run, workspace } from './gpu/host.mjs';

const launches = Number(process.argv[2] ?? 200000);
const rounds = Number(process.argv[3] ?? 5);
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
const loops = (text) => [...text.matchAll(/^loop ([\d.]+)$/gm)].map(([, ns]) => Number(ns)).slice(1);

const records = workloads.map(({ name, launches: count, ns }, index) => {
  const [silent, done] = [
    app(`silent${index}`, [count, ns], 'nothing_is_called_so'),
    app(`done${index}`, [count, ns, 'first'], 'selected'),
  ];
  const samples = { without: [], 'without, again': [], 'nothing matches': [], 'after the capture': [] };
  for (let round = 0; round < rounds; round += 1) {
    samples.without.push(...loops(must(run(program, [count, ns]), 'the app').text));
    samples['nothing matches'].push(...loops(kernloop(['capture', '--app', silent], { cwd: folder }).text));
    samples['without, again'].push(...loops(must(run(program, [count, ns, 'first']), 'the app').text));
    samples['after the capture'].push(
      ...loops(must(kernloop(['capture', '--app', done, '--no-self-check'], { cwd: folder }), 'capture').text),
    );
  }
  const medians = Object.fromEntries(Object.entries(samples).map(([key, values]) => [key, median(values)]));
  return { workload: name, launches: count, ns_per_launch: medians, samples };
});

const rows = [['workload', 'state', 'ns a launch', 'more', 'ratio']];
let ok = true;
for (const { workload, ns_per_launch: medians } of records) {
  const base = median([medians.without, medians['without, again']]);
  for (const [state, ns] of Object.entries(medians)) {
    const more = ns - base;
    rows.push([workload, state, ns.toFixed(1), `${more.toFixed(1)} ns`, rounded(ns / base, 4)]);
    if (state === 'nothing matches') ok &&= workload.startsWith('empty') ? more <= 100 : ns / base <= 1.02;
  }
}
conclude('gpu-overhead', { limits: { empty_kernel_ns: 100, kernel_10us_ratio: 1.02 }, rounds, records }, rows, ok);
