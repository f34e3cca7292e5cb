// Counts of the LLVM plugin on an NVIDIA GPU, and their cost. The machine with the GPU needs no compiler: this script
// packs everything that it runs.
//   node bench/gpu-pgo-counts.mjs FOLDER [ptxas]      then, on the machine with the GPU:  FOLDER/run.sh
// Needs `npm run build:native`, clang-22 and a ptxas of CUDA 12.4 or newer (pip: nvidia-cuda-nvcc). run.sh writes
// $OUT/pgo-counts.txt.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');
const build = join(root, 'native', 'build');
const [folder, ptxas = 'ptxas'] = process.argv.slice(2);
if (!folder) throw new Error('usage: node bench/gpu-pgo-counts.mjs FOLDER [ptxas]');
mkdirSync(folder, { recursive: true });

const run = (file, words) => execFileSync(file, words, { stdio: ['ignore', 'inherit', 'inherit'] });
const option = (value) => ['-Xclang', '-mllvm', '-Xclang', value];

function compile(name, options) {
  const ptx = join(folder, `${name}.ptx`);
  const source = join(root, 'native', 'pgo', 'pass', 'test', 'kernels.hip');
  const words = ['-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_90', '--cuda-feature=+ptx80'];
  words.push('-nocudainc', '-nocudalib', '-Wno-unknown-cuda-version', '-O2', '-S', source, '-o', ptx);
  run('clang++-22', [...words, ...options]);
  run(ptxas, ['-arch=sm_90', '-O3', ptx, '-o', join(folder, `${name}.cubin`)]);
}

function instrumented(name, sample, map = [`-kernloop-pgo-map=${join(folder, `${name}.json`)}`]) {
  const plugin = `-fpass-plugin=${join(build, 'lib', 'kernloop-pgo-pass-22.so')}`;
  const chosen = ['-kernloop-pgo=generate', `-kernloop-pgo-sample=${sample}`, ...map].flatMap(option);
  compile(name, [plugin, '-gline-tables-only', ...chosen]);
}

run('ninja', ['-C', build, 'pgo_pass_on_cuda', 'kernloop_pgo_pass']);
compile('plain', []);
instrumented('all', 'all');
instrumented('one-in-32', 'blocks:32');
instrumented('sparse-32', 'sparse:32');
// The counting launches are unknown here, so these are only timed. In the last one nobody counts: it shows the cost of
// the choice itself, and registers.
instrumented('launches-32', 'launches:32', []);
instrumented('nobody', 'blocks:65536', []);
copyFileSync(join(build, 'bin', 'pgo_pass_on_cuda'), join(folder, 'pgo_pass_on_cuda'));
const script = `#!/bin/sh
# Lane totals of 23 kernels against the host's, then what counting costs in time. Ends with 0 when every total is exact.
cd "$(dirname "$0")" || exit 2
chmod +x pgo_pass_on_cuda 2>/dev/null
cp pgo_pass_on_cuda /tmp/pgo_pass_on_cuda.$$ && chmod +x /tmp/pgo_pass_on_cuda.$$
timeout 400 /tmp/pgo_pass_on_cuda.$$ plain.cubin all one-in-32 sparse-32 launches-32 nobody > "\${OUT:-.}/pgo-counts.txt" 2>&1
code=$?
rm -f /tmp/pgo_pass_on_cuda.$$
cat "\${OUT:-.}/pgo-counts.txt"
exit $code
`;
writeFileSync(join(folder, 'run.sh'), script);
chmodSync(join(folder, 'run.sh'), 0o755);
