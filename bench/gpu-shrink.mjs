// Bytes that `--shrink` drops, and the quality of verdicts after it, on the software GPU or on an NVIDIA GPU.
//   node bench/gpu-shrink.mjs hip|cuda
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, kernloopJson, must, root, rounded, run, workspace } from './gpu/host.mjs';

const [name = 'hip'] = process.argv.slice(2);
const compilers = {
  hip: { device: 'softgpu', command: ['hipcc', '--offload-arch=gfx90a', '-O2', '-DUNIT=4096'], extension: 'hip' },
  cuda: { device: 'cuda', command: ['nvcc', '-gencode', 'arch=compute_90,code=sm_90', '-O2'], extension: 'cu' },
};
const compiler = compilers[name];
if (!compiler) {
  console.error('usage: node bench/gpu-shrink.mjs hip|cuda');
  process.exit(2);
}
const kernels = ['part', 'rows', 'whole'];
/** Edits: the replaced text, its replacement, and the right verdict. */
const edits = {
  part: [
    ['right', 'in[first + i] * 2.0f', 'in[first + i] + in[first + i]', 'pass'],
    ['does nothing', 'out[first + i] = in[first + i] * 2.0f', '(void)0', 'fail'],
    ['reads what was dropped', '* 2.0f;', '* 2.0f + 0.0f * in[i & 15];', 'fault'],
    ['writes there', '* 2.0f;', '* 2.0f, out[i & 15] = in[first];', 'fault'],
  ],
  rows: [
    ['right', 'static_cast<float>(blockIdx.x);', 'float(blockIdx.x);', 'pass'],
    ['does nothing', '+= static_cast<float>(blockIdx.x)', '+= 0.0f', 'fail'],
    ['reads what was dropped', '(blockIdx.x);', '(blockIdx.x) + 0.0f * row[2][threadIdx.x];', 'fault'],
  ],
  whole: [
    ['right', 'sum += in[i]', 'sum = sum + in[i]', 'pass'],
    ['does nothing', '[blockIdx.x * blockDim.x + threadIdx.x] = sum', '[0] += 0 * sum', 'fail'],
  ],
};

const folder = workspace([]);
const app = join(folder, 'apps', 'shrink');
mkdirSync(app, { recursive: true });
const source = `shrink.${compiler.extension}`;
copyFileSync(join(root, 'bench', 'gpu', 'shrink', 'shrink.cu'), join(app, source));
const env = name === 'hip' ? { HIP_PLATFORM: 'amd' } : {};
const object = [...compiler.command, '-c', source, '-o', 'shrink.o'];
must(run(object[0], object.slice(1), { cwd: app, env }), 'compile');
must(run(compiler.command[0], ['shrink.o', '-o', 'shrink'], { cwd: app, env }), 'link');
const json = (path, value) => writeFileSync(join(app, path), `${JSON.stringify(value)}\n`);
json('compile_commands.json', [{ directory: app, file: join(app, source), arguments: object }]);
json('kernloop.json', {
  name: 'shrink',
  device: compiler.device,
  command: ['./shrink'],
  env,
  source: '.',
  compileCommands: 'compile_commands.json',
  kernels: kernels.map((kernel) => ({ name: kernel, match: `^${kernel}\\(` })),
});

const rows = [['kernel', 'captured', 'dropped', 'variant', 'whole', 'shrunk']];
const record = [];
const MiB = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MiB`;
const reproducer = (kernel) => join(folder, 'kernels', 'shrink', kernel);
const file = (kernel) => join(reproducer(kernel), `kernel_variant.${compiler.extension}`);

/** Verdict of validate by kernel and edit, and the output of extract. */
function judgeAll(options) {
  const extracted = kernloopJson(['extract', '--app', app, '--recapture', '--reset', ...options], {
    cwd: folder,
    limitSeconds: 240,
  });
  must(extracted, 'extract');
  console.error(extracted.text.slice(0, 4000));
  const verdicts = new Map();
  for (const kernel of kernels) {
    const original = readFileSync(file(kernel), 'utf8');
    for (const [what, from, to] of edits[kernel]) {
      if (!original.includes(from)) throw new Error(`${kernel} has no ${from}`);
      writeFileSync(file(kernel), original.replace(from, to));
      must(kernloop(['recompile', '--reproducer', reproducer(kernel)], { cwd: folder }), `recompile ${kernel}`);
      const judged = kernloopJson(['validate', '--reproducer', reproducer(kernel)], { cwd: folder });
      verdicts.set(`${kernel} ${what}`, judged.result ?? { verdict: judged.text });
    }
    writeFileSync(file(kernel), original);
  }
  return { extracted, verdicts };
}

const whole = judgeAll([]);
const shrunk = judgeAll(['--shrink']);
let isRight = true;
for (const { capture } of shrunk.extracted.result.kernels) {
  const { name: kernel, selfcheck } = capture;
  const { bytes_raw: bytesRaw, bytes_dropped: bytesDropped, bytes_stored: bytesStored } = capture;
  for (const [what, , , right] of edits[kernel]) {
    const [before, after] = [whole, shrunk].map(({ verdicts }) => verdicts.get(`${kernel} ${what}`));
    // An edit that only reads more memory is right while that memory exists.
    isRight &&= after.verdict === right;
    isRight &&= before.verdict === right || (right === 'fault' && ['pass', 'fail'].includes(before.verdict));
    isRight &&= (kernel === 'whole') === (bytesDropped === 0);
    rows.push([kernel, MiB(bytesRaw), MiB(bytesDropped), what, before.verdict, after.verdict]);
    record.push({
      ...{ kernel, variant: what, whole: before.verdict, shrunk: after.verdict, summary: after.summary },
      ...{ captured_bytes: bytesRaw, dropped_bytes: bytesDropped, stored_bytes: bytesStored, self_check: selfcheck },
    });
  }
}
const seconds = { whole: rounded(whole.extracted.seconds), shrunk: rounded(shrunk.extracted.seconds) };
conclude(`gpu-shrink${name === 'cuda' ? '' : `-${name}`}`, { extract_seconds: seconds, rows: record }, rows, isRight);
