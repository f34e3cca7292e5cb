// A large app: one kernel of ggml is captured, its source found, edited and judged, against rebuilding ggml and running it again.
//   node bench/gpu-ggml.mjs <checkout of ggml> [rounds=3]
// Fetches nothing. The checkout is copied; its build is configured and timed here.
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, kernloopJson, median, must, rounded, run, workspace } from './gpu/host.mjs';

const [checkout, rounds = '3'] = process.argv.slice(2);
if (!checkout || !existsSync(join(checkout, 'src', 'ggml-cuda'))) {
  console.error('usage: node bench/gpu-ggml.mjs <checkout of ggml> [rounds]');
  process.exit(2);
}
const kernel = 'mul_mat_q<\\(ggml_type\\)2, 128, false>';
const header = join('src', 'ggml-cuda', 'mmq.cuh');
const folder = workspace([]);
const app = join(folder, 'apps', 'ggml');
mkdirSync(app, { recursive: true });
cpSync(checkout, app, { recursive: true, filter: (source) => !/\/(build|\.git)$/.test(source) });
const command = ['build/bin/test-backend-ops', 'perf', '-b', 'CUDA0', '-o', 'MUL_MAT'];
const words = [...command, '-p', 'type_a=q4_0,type_b=f32,m=4096,n=512,k=14336'];
writeFileSync(
  join(app, 'kernloop.json'),
  JSON.stringify({
    name: 'ggml',
    device: 'cuda',
    command: words,
    source: 'src/ggml-cuda',
    compileCommands: 'build/compile_commands.json',
    kernels: [{ name: 'mul_mat_q', match: kernel }],
  }),
);
const options = [
  '-DGGML_CUDA=ON',
  '-DCMAKE_CUDA_ARCHITECTURES=90',
  '-DCMAKE_BUILD_TYPE=Release',
  '-DGGML_BUILD_TESTS=ON',
  '-DGGML_BUILD_EXAMPLES=OFF',
];
const configure = ['-S', '.', '-B', 'build', '-G', 'Ninja', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', ...options];
must(run('cmake', configure, { cwd: app }), 'cmake');
const build = () => run('cmake', ['--build', 'build', '--target', 'test-backend-ops'], { cwd: app, limitSeconds: 560 });
const built = must(build(), 'the build');
console.error(`built in ${built.seconds.toFixed(0)} s`);

const capture = must(kernloop(['capture', 'mul_mat_q', '--app', app], { cwd: folder, limitSeconds: 300 }), 'capture');
const generate = must(
  kernloop(['generate', 'mul_mat_q', '--app', app], { cwd: folder, limitSeconds: 400 }),
  'generate',
);
console.error(`${generate.text}\ncapture ${capture.seconds.toFixed(1)} s, generate ${generate.seconds.toFixed(1)} s`);
const reproducer = join(folder, 'kernels', 'ggml', 'mul_mat_q');
must(kernloop(['adopt', reproducer], { cwd: folder }), 'adopt');
const variant = readdirSync(reproducer).find((name) => name.startsWith('kernel_variant.'));

const samples = { reproducer: [], app: [] };
const verdicts = [];
const edit = (round) => `\nstatic_assert(${round} + 1, "edited");\n`;
for (let round = 0; round < Number(rounds); round += 1) {
  appendFileSync(join(reproducer, variant), edit(round));
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
samples.app.push({ build: rebuilt, run: must(run(words[0], words.slice(1), { cwd: app }), 'run').seconds });
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
