// ggml's mul_mat_q as a reproducer: the checkout is copied, built, captured and adopted in a workspace of the bench.
// KERNLOOP_BENCH_WORKSPACE names a folder that keeps it for the next bench.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernloop, must, run, workspace } from './host.mjs';

const kernel = 'mul_mat_q<\\(ggml_type\\)2, 128, false>';
const command = ['build/bin/test-backend-ops', 'perf', '-b', 'CUDA0', '-o', 'MUL_MAT'];
const [m, n, k] = [4096, 512, 14336];
const words = [...command, '-p', `type_a=q4_0,type_b=f32,m=${m},n=${n},k=${k}`];

/** Blocks of ggml's quantised types, by number in `enum ggml_type`: name, numbers in a block, and its bytes. */
const blocks = {
  ...{ 2: ['q4_0', 32, 18], 3: ['q4_1', 32, 20], 6: ['q5_0', 32, 22], 7: ['q5_1', 32, 24], 8: ['q8_0', 32, 34] },
  ...{ 10: ['q2_K', 256, 84], 11: ['q3_K', 256, 110], 12: ['q4_K', 256, 144], 13: ['q5_K', 256, 176] },
  ...{ 14: ['q6_K', 256, 210], 20: ['iq4_nl', 32, 18], 23: ['iq4_xs', 256, 136], 39: ['mxfp4', 32, 17] },
};
/** `block_q8_1_mmq`: 128 numbers of the other matrix, with four pairs of halves. */
const column = { numbers: 128, bytes: 144 };

/**
 * Both matrices of mul_mat_q as --inputs-record takes them: what its instance says of `x`, and the blocks of `y`. Other
 * tensors follow in the same allocations, so that the sizes are those of the shape.
 */
export function quantisedRecords(reproducer) {
  const { demangled } = JSON.parse(readFileSync(join(reproducer, 'kernel.json'), 'utf8'));
  const [, type = 'none'] = /mul_mat_q<\(ggml_type\)(\d+)/.exec(demangled) ?? [];
  if (!blocks[type]) throw new Error(`the blocks of ggml_type ${type} are not known here (${demangled})`);
  const [, numbers, bytes] = blocks[type];
  const size = (count, each) => (count / each.numbers) * each.bytes;
  return [`x:0:${size(m * k, { numbers, bytes })}=${bytes}`, `y:0:${size(n * k, column)}=${column.bytes}`];
}

/**
 * `checkout`: folder of ggml's sources, which is not changed. `options` of CMake come after those of the bench. Returns the folders, the
 * variant's file, `build` and `runApp` for the app's own way, and what was measured if it was not there.
 */
export function ggmlReproducer(checkout, options = []) {
  const folder = process.env.KERNLOOP_BENCH_WORKSPACE ?? workspace([]);
  const app = join(folder, 'apps', 'ggml');
  const reproducer = join(folder, 'kernels', 'ggml', 'mul_mat_q');
  const build = () =>
    run('cmake', ['--build', 'build', '--target', 'test-backend-ops'], { cwd: app, limitSeconds: 560 });
  const found = () => ({
    ...{ folder, app, reproducer, build, runApp: () => run(words[0], words.slice(1), { cwd: app }) },
    variant: join(
      reproducer,
      readdirSync(reproducer).find((name) => name.startsWith('kernel_variant.')),
    ),
  });
  if (existsSync(reproducer)) return found();
  mkdirSync(app, { recursive: true });
  writeFileSync(join(folder, 'nx.json'), '{}\n');
  cpSync(checkout, app, { recursive: true, filter: (source) => !/\/(build|\.git)$/.test(source) });
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
  const all = [
    ...['-DGGML_CUDA=ON', '-DCMAKE_CUDA_ARCHITECTURES=90', '-DCMAKE_BUILD_TYPE=Release'],
    ...['-DGGML_BUILD_TESTS=ON', '-DGGML_BUILD_EXAMPLES=OFF', ...options],
  ];
  const configure = ['-S', '.', '-B', 'build', '-G', 'Ninja', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', ...all];
  must(run('cmake', configure, { cwd: app }), 'cmake');
  const built = must(build(), 'the build');
  console.error(`built in ${built.seconds.toFixed(0)} s`);

  const verb = (name, limitSeconds) =>
    must(kernloop([name, 'mul_mat_q', '--app', app], { cwd: folder, limitSeconds }), name);
  const [capture, generate] = [verb('capture', 300), verb('generate', 400)];
  console.error(`${generate.text}\ncapture ${capture.seconds.toFixed(1)} s, generate ${generate.seconds.toFixed(1)} s`);
  must(kernloop(['adopt', reproducer], { cwd: folder }), 'adopt');
  return { ...found(), built, capture, generate };
}

export const isGgml = (folder) => folder !== undefined && existsSync(join(folder, 'src', 'ggml-cuda'));
