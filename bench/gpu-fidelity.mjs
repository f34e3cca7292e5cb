// Fidelity of replay times: the median kernel time in replays against uncaptured launches of the same kernel inside the
// app, each timed by CUPTI in a separate run; app and replays alternate.
//   node bench/gpu-fidelity.mjs [elements] [rounds=6]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, kernloopJson, median, must, quantile, rounded, workspace } from './gpu/host.mjs';

const elements = Number(process.argv[2] ?? 1 << 24);
const rounds = Number(process.argv[3] ?? 6);
const launches = 40;
const ordinal = 20;
const folder = workspace(['cuda-pipeline']);
const app = join(folder, 'apps', 'cuda-pipeline');
const config = JSON.parse(readFileSync(join(app, 'kernloop.json'), 'utf8'));
config.command.push(String(elements), String(launches));
config.kernels.forEach((kernel) => Object.assign(kernel, { ordinal }));
writeFileSync(join(app, 'kernloop.json'), JSON.stringify(config));
const names = config.kernels.map(({ name }) => name);

must(kernloop(['extract', '--app', app], { cwd: folder, limitSeconds: 500 }), 'extract');
const emptyLists = () => Object.fromEntries(names.map((name) => [name, []]));
const inApp = emptyLists();
const replayed = { warm: emptyLists(), 'as-is': emptyLists(), cold: emptyLists() };
const timers = new Set();
const profile = join(folder, 'profile.json');
for (let round = 0; round < rounds; round += 1) {
  must(kernloop(['profile', '--app', app, '--no-build', '--output', profile], { cwd: folder }), 'profile');
  const rows = JSON.parse(readFileSync(profile, 'utf8')).kernels;
  for (const { name, match } of config.kernels) {
    const row = rows.find((candidate) => new RegExp(match).test(candidate.name));
    inApp[name].push(row);
  }
  // Cache states as-is and cold are not compared with the app, so one round suffices.
  for (const cache of round === 0 ? Object.keys(replayed) : ['warm']) {
    for (const name of names) {
      const args = ['replay', '--reproducer', join('kernels', 'cuda-pipeline', name), '--variant', 'none'];
      const ended = kernloopJson([...args, '--warmup', '3', '--iterations', '20', '--cache', cache], { cwd: folder });
      must(ended, `replay of ${name}`);
      replayed[cache][name].push(...ended.result.samples);
      timers.add(ended.result.timer);
    }
  }
}

const records = names.map((name) => {
  const rows = inApp[name];
  const app_ns = {
    launches: rows[0].dispatches,
    median: median(rows.map((row) => row.median)),
    // Over all runs: includes the app's variation between runs.
    p10: Math.min(...rows.map((row) => row.p10)),
    p90: Math.max(...rows.map((row) => row.p90)),
  };
  const states = Object.fromEntries(
    Object.entries(replayed).map(([cache, samples]) => {
      const values = samples[name];
      const middle = median(values);
      return [
        cache,
        {
          samples: values.length,
          median: middle,
          p10: quantile(values, 0.1),
          p90: quantile(values, 0.9),
          ratio: rounded(middle / app_ns.median, 4),
          inside_app_p10_p90: middle >= app_ns.p10 && middle <= app_ns.p90,
        },
      ];
    }),
  );
  return { kernel: name, counts: app_ns.median >= 20_000, app_ns, ...states };
});
const microseconds = (ns) => (ns / 1000).toFixed(2);
conclude(
  'gpu-fidelity',
  { elements, rounds, unit: 'nanoseconds', replay_timers: [...timers], records },
  [
    ['us', 'app p10', 'app median', 'app p90', 'replay warm', 'ratio', 'as-is', 'ratio', 'cold', 'ratio', ''],
    ...records.map((r) => [
      r.kernel,
      microseconds(r.app_ns.p10),
      microseconds(r.app_ns.median),
      microseconds(r.app_ns.p90),
      microseconds(r.warm.median),
      r.warm.ratio,
      microseconds(r['as-is'].median),
      r['as-is'].ratio,
      microseconds(r.cold.median),
      r.cold.ratio,
      r.counts ? '' : '< 20 us',
    ]),
  ],
  records.filter(({ counts }) => counts).every(({ warm }) => Math.abs(warm.ratio - 1) <= 0.02),
);
