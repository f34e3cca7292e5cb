// The edit loop on a generated app of many units without a compile database, one of which instantiates the kernel, on
// the software GPU or on an H200.
//   node bench/many-units.mjs hip [units=150] [rounds=3]
//   node bench/many-units.mjs cuda [units=120] [rounds=3]
import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, kernloopJson, median, must, rounded, run, workspace } from './gpu/host.mjs';
import { languages, writeManyUnits } from './gpu/many-units.mjs';

const [name = 'hip', given, rounds = '3'] = process.argv.slice(2);
const language = languages[name];
const units = Number(given ?? (name === 'cuda' ? 120 : 150));
if (!language || !(units > 1)) {
  console.error('usage: node bench/many-units.mjs hip|cuda [units] [rounds]');
  process.exit(2);
}
const folder = workspace([]);
const app = join(folder, 'apps', 'many-units');
mkdirSync(app, { recursive: true });
writeManyUnits(app, language, {
  units,
  wanted: Math.floor(units / 2),
  items: name === 'cuda' ? [4, 8, 10] : [8, 9],
});
const environment = name === 'hip' ? { HIP_PLATFORM: 'amd' } : {};
const timed = (verb, args, options = {}) => {
  const ended = must(kernloop([verb, ...args], { cwd: folder, limitSeconds: 580, ...options }), verb);
  console.error(`${verb} ${ended.seconds.toFixed(1)} s\n${ended.text.trim().split('\n').slice(-4).join('\n')}`);
  return ended;
};

const watched = timed('watch-build', ['--app', app], { env: environment });
const capture = timed('capture', ['sort_tiles', '--app', app, '--no-build']);
const generate = timed('generate', ['sort_tiles', '--app', app]);
const reproducer = join(folder, 'kernels', 'many-units', 'sort_tiles');
timed('adopt', [reproducer]);
const variant = readdirSync(reproducer).find((file) => file.startsWith('kernel_variant.'));
const steps = { recompile: [], validate: [], compare: [] };
const verdicts = [];
for (let round = 0; round < Number(rounds); round += 1) {
  appendFileSync(join(reproducer, variant), `\nstatic_assert(${round} + 1, "edited");\n`);
  steps.recompile.push(timed('recompile', ['--reproducer', reproducer]).seconds);
  const judged = kernloopJson(['validate', '--reproducer', reproducer], { cwd: folder });
  verdicts.push(judged.result?.verdict ?? judged.text);
  steps.validate.push(judged.seconds);
  if (name === 'cuda')
    steps.compare.push(
      timed('replay', ['--compare', '--warmup', '2', '--iterations', '10', '--reproducer', reproducer]).seconds,
    );
}
appendFileSync(join(app, 'src', language.header), '\nstatic_assert(1, "edited");\n');
const rebuilt = must(run('./build.sh', [], { cwd: app, env: environment, limitSeconds: 580 }), 'rebuild');
const softgpu = kernloop(['profile', '--app', app, '--no-build'], { cwd: folder });
const rerun = name === 'cuda' ? must(run('./app', [], { cwd: app }), 'run') : must(softgpu, 'run');
const loop = median(steps.recompile) + median(steps.validate);
const theirs = rebuilt.seconds + rerun.seconds;
const row = (what, seconds) => [what, seconds.toFixed(1)];
conclude(
  `many-units-${name}`,
  {
    command: `node bench/many-units.mjs ${name} ${units} ${rounds}`,
    units,
    seconds: {
      watched_build: rounded(watched.seconds),
      capture: rounded(capture.seconds),
      generate: rounded(generate.seconds),
      ...Object.fromEntries(
        Object.entries(steps).map(([step, values]) => [step, values.map((value) => rounded(value))]),
      ),
      rebuild: rounded(rebuilt.seconds),
      rerun: rounded(rerun.seconds),
    },
    verdicts,
    app_over_reproducer: rounded(theirs / loop, 2),
    found: generate.text.trim().split('\n').slice(-6),
  },
  [
    ['step', 'seconds'],
    row('the first build, watched', watched.seconds),
    row('capture', capture.seconds),
    row('find the source, prove it', generate.seconds),
    ...Object.entries(steps).flatMap(([step, values]) => (values.length > 0 ? [row(step, median(values))] : [])),
    row('touch the header, rebuild the app', rebuilt.seconds),
    row(name === 'cuda' ? 'run it again' : 'run it again (profile)', rerun.seconds),
    row('app / (recompile + validate)', theirs / loop),
  ],
  verdicts.every((verdict) => verdict === 'pass') &&
    generate.seconds <= 30 &&
    generate.text.includes(`unit${Math.floor(units / 2)}.`),
);
