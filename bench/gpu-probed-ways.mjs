// Probes in kernels with difficult control flow, on a GPU: called functions, `exit` in the middle and in functions,
// lanes that leave one by one, partial warps, full maps. The machine with the GPU needs only python3 and the driver:
// this script packs the rest.
//   node bench/gpu-probed-ways.mjs FOLDER [folder of nvcc and ptxas]      then, on the machine with the GPU:  python3 FOLDER/check.py
// Needs `npm run build`.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');
const require = createRequire(import.meta.url);
const { rewritePtx } = require(join(root, 'dist', 'lib', 'probe', 'ptx', 'rewrite.js'));
const { readProbeFile } = require(join(root, 'dist', 'lib', 'trace', 'read-probe-file.js'));
const [folder, tools] = process.argv.slice(2);
if (!folder) throw new Error('usage: node bench/gpu-probed-ways.mjs FOLDER [folder of nvcc and ptxas]');

const run = (program, args) => execFileSync(tools ? join(tools, program) : program, args, { stdio: 'inherit' });
cpSync(join(root, 'bench', 'gpu', 'probed-ways'), folder, { recursive: true });
const original = join(folder, 'ways.ptx');
run('nvcc', ['-arch=sm_90', '-ptx', join(folder, 'ways.cu'), '-o', original]);
for (const kernel of ['calls', 'ways']) {
  const { ptx } = rewritePtx(readFileSync(original, 'utf8'), kernel, readProbeFile(join(folder, 'once.toml')));
  writeFileSync(join(folder, `${kernel}.ptx`), ptx);
  run('ptxas', ['-arch=sm_90', join(folder, `${kernel}.ptx`), '-o', join(folder, `${kernel}.cubin`)]);
}
