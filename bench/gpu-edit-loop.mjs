// Edit loop after a change of one line in a kernel: recompile, validate and compare its reproducer, against rebuilding
// the app and running it again.
//   node bench/gpu-edit-loop.mjs [rounds=3]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, median, must, rounded, run, workspace } from './gpu/host.mjs';

const rounds = Number(process.argv[2] ?? 3);
const folder = workspace(['cuda-pipeline']);
const app = join(folder, 'apps', 'cuda-pipeline');
const reproducer = join(folder, 'kernels', 'cuda-pipeline', 'softmax_rows');
must(kernloop(['extract', 'softmax_rows', '--app', app], { cwd: folder, limitSeconds: 500 }), 'extract');

/** Another order of the same operations changes the machine code, but not the result. */
function edit(file, round) {
  const line = `  const int edited_${round} = blockDim.x;\n  for (int i = t; i < columns; i += edited_${round}) highest = fmaxf(highest, in[i]);`;
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(
    /( {2}const int edited_\d+ = .*\n)? {2}for \(int i = t; i < columns; i \+= \w+(\.x)?\) highest = .*/,
    line,
  );
  if (changed === text) throw new Error(`nothing to edit in ${file}`);
  writeFileSync(file, changed);
}
/** Seconds of each step by name. */
const timed = (steps) =>
  Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, must(step(), name).seconds]));
const verb =
  (...args) =>
  () =>
    kernloop([...args, '--reproducer', reproducer], { cwd: folder });

const samples = { reproducer: [], app: [] };
for (let round = 0; round < rounds; round += 1) {
  edit(join(reproducer, 'kernel_variant.cu'), round);
  samples.reproducer.push(
    timed({
      recompile: verb('recompile'),
      validate: verb('validate'),
      compare: verb('replay', '--compare', '--warmup', '2', '--iterations', '10'),
    }),
  );
  edit(join(app, 'reductions.cu'), round);
  samples.app.push(
    timed({
      build: () => run('cmake', ['--build', 'build'], { cwd: app }),
      run: () => run('build/cuda_pipeline', [], { cwd: app }),
    }),
  );
}
const total = (steps) => Object.values(steps).reduce((sum, seconds) => sum + seconds, 0);
const [ours, theirs] = [samples.reproducer, samples.app].map((rounds) => median(rounds.map(total)));
const parts = (rounds) =>
  Object.keys(rounds[0])
    .map((step) => `${step} ${median(rounds.map((steps) => steps[step])).toFixed(2)}`)
    .join(' + ');
conclude(
  'gpu-edit-loop',
  {
    rounds,
    seconds: { reproducer: rounded(ours), app: rounded(theirs) },
    samples,
    app_over_reproducer: rounded(theirs / ours, 2),
  },
  [
    ['', 'seconds'],
    [parts(samples.reproducer), ours.toFixed(2)],
    [`the app: ${parts(samples.app)}`, theirs.toFixed(2)],
    ['ratio', (theirs / ours).toFixed(2)],
  ],
  true,
);
