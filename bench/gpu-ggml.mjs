// A large app: one kernel of ggml is captured, its source found, edited and judged, against rebuilding ggml and running it again.
//   node bench/gpu-ggml.mjs <checkout of ggml> [rounds=3]
// Fetches nothing. The checkout is copied; its build is configured and timed here.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { ggmlReproducer, isGgml } from './gpu/ggml.mjs';
import { conclude, kernloop, kernloopJson, median, must, rounded, run } from './gpu/host.mjs';

const [checkout, rounds = '3'] = process.argv.slice(2);
if (!isGgml(checkout)) {
  console.error('usage: node bench/gpu-ggml.mjs <checkout of ggml> [rounds]');
  process.exit(2);
}
const header = join('src', 'ggml-cuda', 'mmq.cuh');
const { folder, app, reproducer, variant, built, capture, generate, build, runApp } = ggmlReproducer(checkout);

const samples = { reproducer: [], app: [] };
const verdicts = [];
const edit = (round) => `\nstatic_assert(${round} + 1, "edited");\n`;
for (let round = 0; round < Number(rounds); round += 1) {
  appendFileSync(variant, edit(round));
  const verb = (...args) => kernloop([...args, '--reproducer', reproducer], { cwd: folder });
  const recompile = must(verb('recompile'), 'recompile').seconds;
  const judged = kernloopJson(['validate', '--reproducer', reproducer], { cwd: folder });
  verdicts.push(judged.result?.verdict ?? judged.text);
  const compare = must(verb('replay', '--compare', '--warmup', '2', '--iterations', '10'), 'compare').seconds;
  samples.reproducer.push({ recompile, validate: judged.seconds, compare });
}
// Measured once: no edit loop does both, and rebuilding the header of all units takes minutes.
appendFileSync(join(app, header), edit(0));
const rebuilt = must(build(), 'rebuild').seconds;
samples.app.push({ build: rebuilt, run: must(runApp(), 'run').seconds });
const middle = (side, name) => median(samples[side].map((steps) => steps[name]));
const loop = middle('reproducer', 'recompile') + middle('reproducer', 'validate');
const theirs = middle('app', 'build') + middle('app', 'run');
const units = run('grep', ['-c', '"file".*\\.cu"', 'build/compile_commands.json'], { cwd: app }).stdout.trim();
conclude(
  'gpu-ggml',
  {
    ggml_units: Number(units),
    seconds: {
      first_build: rounded(built.seconds),
      capture: rounded(capture.seconds),
      generate: rounded(generate.seconds),
      recompile_and_validate: rounded(loop),
      rebuild_and_rerun: rounded(theirs),
    },
    verdicts,
    samples,
    app_over_reproducer: rounded(theirs / loop, 2),
    found: generate.text.trim().split('\n').slice(-6),
  },
  [
    ['step', 'seconds'],
    ['capture', capture.seconds.toFixed(1)],
    ['find the source, prove it', generate.seconds.toFixed(1)],
    ...Object.keys(samples.reproducer[0]).map((name) => [name, middle('reproducer', name).toFixed(1)]),
    ['touch the header, rebuild the app', middle('app', 'build').toFixed(1)],
    ['run it again', middle('app', 'run').toFixed(1)],
    ['app / (recompile + validate)', (theirs / loop).toFixed(1)],
  ],
  verdicts.every((verdict) => verdict === 'pass') && generate.seconds <= 30,
);
