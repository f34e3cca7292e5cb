// The edit loop on a HIP unit that defines many kernels, on the software GPU: alternately the captured kernel compiled
// alone, and the whole unit.
//   node bench/many-kernels.mjs [kernels=60] [rounds=3]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloopCommand, median, must, rounded, run, workspace } from './gpu/host.mjs';

const [kernels, rounds] = [Number(process.argv[2] ?? 60), Number(process.argv[3] ?? 3)];
if (!(kernels > 1) || !(rounds > 0)) {
  console.error('usage: node bench/many-kernels.mjs [kernels] [rounds]');
  process.exit(2);
}
const wanted = Math.floor(kernels / 2);
const folder = workspace([]);
const app = join(folder, 'apps', 'many-kernels');
mkdirSync(app, { recursive: true });

const bodyOf = (kernel) => `
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? y[i] : 0;
  __syncthreads();
  float s = 0;
  for (int j = 0; j < ${8 + (kernel % 5)}; ++j) s += mixed(tile[(threadIdx.x + j) & 255], ${kernel}.0f) * powf(tile[j], ${kernel % 7}.5f);
  if (i < n) x[i] = s;
`;
const numbers = Array.from({ length: kernels }, (_, kernel) => kernel);
writeFileSync(
  join(app, 'kernels.hip'),
  `#include <hip/hip_runtime.h>
#include <cstdio>
__device__ float mixed(float a, float b) { float s = 0; for (int i = 0; i < 8; ++i) s += sinf(a * i) + b; return s; }
${numbers.map((kernel) => `__global__ void k${kernel}(float* x, const float* y, int n) {${bodyOf(kernel)}}`).join('\n')}
int main() {
  static float host[1024];
  for (int i = 0; i < 1024; ++i) host[i] = 0.25f + i % 97 / 97.0f;
  float *x, *y;
  if (hipMalloc(&x, sizeof host) != hipSuccess || hipMalloc(&y, sizeof host) != hipSuccess) return 1;
  if (hipMemcpy(y, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess) return 1;
${numbers.map((kernel) => `  k${kernel}<<<4, 256>>>(x, y, 1024);`).join('\n')}
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
`,
);
const compile = ['hipcc', '--offload-arch=gfx90a', '-O3', 'kernels.hip', '-o', 'app'];
writeFileSync(
  join(app, 'compile_commands.json'),
  JSON.stringify([{ directory: app, file: 'kernels.hip', arguments: compile }]),
);
writeFileSync(
  join(app, 'kernloop.json'),
  JSON.stringify({
    name: 'many-kernels',
    build: { command: compile, outputs: ['app'] },
    command: ['./app'],
    env: { HIP_PLATFORM: 'amd' },
    compileCommands: 'compile_commands.json',
    kernels: [{ name: 'k', match: `k${wanted}` }],
  }),
);

/** Wall and CPU seconds: other load on the machine affects CPU time least. */
function timed(args, mayFail = false) {
  const [program, words] = kernloopCommand(args);
  const ended = run('bash', ['-c', '"$@"; code=$?; times >&2; exit $code', 'timed', program, ...words], {
    cwd: folder,
    limitSeconds: 580,
  });
  if (!mayFail) must(ended, args.join(' '));
  const spent = ended.text.trim().split('\n').at(-1);
  const cpu = [...spent.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, min, sec]) => sum + min * 60 + Number(sec), 0);
  return { ...ended, cpu };
}

must(run(compile[0], compile.slice(1), { cwd: app, env: { HIP_PLATFORM: 'amd' }, limitSeconds: 580 }), 'build');
timed(['capture', 'k', '--app', app, '--no-build']);
const generate = timed(['generate', 'k', '--app', app]);
const reproducer = join(folder, 'kernels', 'many-kernels', 'k');
timed(['adopt', reproducer]);
const variant = join(reproducer, 'kernel_variant.hip');
const recipePath = join(reproducer, 'pristine', 'recipe.json');
const [source, recipe] = [variant, recipePath].map((path) => readFileSync(path, 'utf8'));
const { one_entry: one, ...whole } = JSON.parse(recipe);
const ways = { alone: recipe, whole: JSON.stringify(whole) };
const spent = Object.fromEntries(Object.keys(ways).map((way) => [way, { recompile: [], recompile_cpu: [], loop: [] }]));
const verdicts = [];
for (let round = 0; round < rounds; round += 1) {
  // First the same result by other code, then another result.
  for (const [what, edit] of [
    ['right', (text) => text.replace('sinf(a * i) + b', `sinf(i * a) + (b + ${round} - ${round})`)],
    ['wrong', (text) => text.replace('sinf(a * i) + b', `sinf(a * i) - b - ${round}`)],
  ]) {
    writeFileSync(variant, edit(source));
    for (const [way, text] of Object.entries(ways)) {
      writeFileSync(recipePath, text);
      const recompiled = timed(['recompile', '--reproducer', reproducer]);
      const judged = timed(['validate', '--reproducer', reproducer], true);
      const verdict = /Result: (\w+)/.exec(judged.text)?.[1] ?? judged.text.slice(-300);
      verdicts.push({ round, edit: what, way, verdict });
      spent[way].recompile.push(rounded(recompiled.seconds));
      spent[way].recompile_cpu.push(rounded(recompiled.cpu));
      spent[way].loop.push(rounded(recompiled.seconds + judged.seconds));
      console.error(way, what, verdict, recompiled.seconds.toFixed(2), recompiled.cpu.toFixed(2));
    }
  }
}
const of = (way, key) => median(spent[way][key]);
const row = (what, key) => [
  what,
  ...Object.keys(ways).map((way) => of(way, key).toFixed(2)),
  (of('whole', key) / of('alone', key)).toFixed(2),
];
conclude(
  'many-kernels',
  { kernels, one_entry: one === true, seconds: spent, verdicts, found: generate.text.trim().split('\n').slice(-3) },
  [
    ['seconds, median', ...Object.keys(ways), 'ratio'],
    row('recompile', 'recompile'),
    row('recompile, of processors', 'recompile_cpu'),
    row('recompile and validate', 'loop'),
  ],
  one === true && verdicts.every(({ edit, verdict }) => verdict === (edit === 'right' ? 'PASS' : 'FAIL')),
);
