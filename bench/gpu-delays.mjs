// Random delays on a real GPU: planted races, missing barriers and missing fences, and honest edits of the same
// kernels. Their cost is a median over the honest edits: seconds of a validate with delays relative to one without, run
// one after the other.
//   node bench/gpu-delays.mjs [delays=4] [seconds=540]
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, kernloopJson, root, rounded, workspace } from './gpu/host.mjs';

const delays = process.argv[2] ?? '4';
// Cases that cannot start in time are reported as such, so that the table is printed before the caller's limit.
const end = Date.now() + Number(process.argv[3] ?? 540) * 1000;
const folder = workspace([]);
const app = join(folder, 'apps', 'gpu-delays');
mkdirSync(join(folder, 'apps'), { recursive: true });
cpSync(join(root, 'bench', 'gpu', 'delays'), app, { recursive: true });
const extracted = kernloop(['extract', '--app', app], { cwd: folder, limitSeconds: 240 });
console.log(extracted.text.split('\n').slice(-16).join('\n'));

const without = (mark) => [`__syncthreads();  // ${mark}`, ''];
const planted = [
  ['block_sums', 'no barrier behind the loads', without('loaded')],
  ['block_sums', 'no barrier between the steps', without('step')],
  ['transpose', 'no barrier behind the loads', without('loaded')],
  ['scan', 'no barrier between reads and writes', without('read')],
  ['scan', 'no barrier between writes and reads', without('written')],
  ['window_sums', 'no barrier behind the loads', without('loaded')],
  ['distances', 'no barrier before the array is used again', without('reused')],
  ['histogram', 'no barrier behind the clearing', without('cleared')],
  ['histogram', 'no barrier before the merge', without('counted')],
  ['multiply', 'no barrier behind the loads', without('loaded')],
  ['multiply', 'no barrier at the end of the loop', without('used')],
  [
    'last_block',
    'ticket taken before the sum is stored',
    [
      'partial[blockIdx.x] = s[0];\n    __threadfence();\n    isLast = atomicAdd(tickets, 1u) == gridDim.x - 1;',
      'isLast = atomicAdd(tickets, 1u) == gridDim.x - 1;\n    __threadfence();\n    partial[blockIdx.x] = s[0];',
    ],
  ],
  ['last_block', 'no fence before the ticket', ['s[0];\n    __threadfence();', 's[0];']],
  ['last_block', 'no barrier behind the ticket', [...without('ticket')]],
  ['neighbours', 'reads what another block writes', ['x[other] * 3', 'y[other]']],
  ['total', 'plain addition', ['atomicAdd(sum, s[0])', '*sum += s[0]']],
  [
    'chain',
    'flag before the data',
    [
      'sums[b] = before + x[b * kBlock];\n    __threadfence();\n    ready[b] = 1;',
      'ready[b] = 1;\n    __threadfence();\n    sums[b] = before + x[b * kBlock];',
    ],
  ],
  ['chain', 'no fence before the flag', ['x[b * kBlock];\n    __threadfence();', 'x[b * kBlock];']],
  ['warp_sums', 'no barrier between the warps', without('warps')],
  ['sort', 'no barrier between the steps', without('step')],
];
const honest = [
  ['block_sums', 'a sum written out', ['s[t] += s[t + step]', 's[t] = s[t + step] + s[t]']],
  ['block_sums', 'one barrier more', ['if (t == 0) sums', '__syncthreads();\n  if (t == 0) sums']],
  [
    'block_sums',
    'the last warp by shuffles',
    [
      'for (int step = kBlock / 2; step > 0; step /= 2) {\n    if (t < step) s[t] += s[t + step];\n    __syncthreads();  // step\n  }',
      'for (int step = kBlock / 2; step >= 32; step /= 2) {\n    if (t < step) s[t] += s[t + step];\n    __syncthreads();\n  }\n  if (t < 32) {\n    int v = s[t];\n    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffffu, v, step);\n    if (t == 0) s[0] = v;\n  }\n  __syncthreads();',
    ],
  ],
  ['transpose', 'another padding', ['kTile + 1]', 'kTile + 3]']],
  ['scan', 'a select less', ['t >= step ? s[t - step] : 0', 't < step ? 0 : s[t - step]']],
  ['window_sums', 'unrolled', ['  for (int k = 0; k < 8', '#pragma unroll\n  for (int k = 0; k < 8']],
  [
    'window_sums',
    'without shared memory',
    ['s[(t + k * 32) % kBlock]', 'x[blockIdx.x * kBlock + (t + k * 32) % kBlock]'],
  ],
  ['distances', 'max the other way round', ['max(s[t], s[t + step])', 'max(s[t + step], s[t])']],
  ['histogram', 'cleared by all threads', ['if (t < kBins) own[t] = 0;', 'own[t % kBins] = 0;']],
  [
    'histogram',
    'straight to global memory',
    [
      'atomicAdd(&own[x[blockIdx.x * kBlock + t] % kBins], 1u);',
      'atomicAdd(&bins[x[blockIdx.x * kBlock + t] % kBins], 1u);',
    ],
  ],
  ['multiply', 'a product the other way round', ['at[ty][i] * bt[i][tx]', 'bt[i][tx] * at[ty][i]']],
  [
    'multiply',
    'loads through the read-only cache',
    ['= a[row', '= __ldg(a + row'],
    ['+ tx];\n    bt', '+ tx);\n    bt'],
  ],
  [
    'last_block',
    'a fence of the whole system',
    ['__threadfence();\n    isLast', '__threadfence_system();\n    isLast'],
  ],
  [
    'last_block',
    'a sum the other way round',
    ['partial[lane] + partial[lane + 32]', 'partial[lane + 32] + partial[lane]'],
  ],
  ['neighbours', 'a product by shift', ['x[i] * 3;', '(x[i] << 1) + x[i];']],
  ['total', 'the addition at the scope of the system', ['atomicAdd(sum, s[0])', 'atomicAdd_system(sum, s[0])']],
  ['chain', 'sleeps while it waits', ['== 0) {\n      }', '== 0) {\n        __nanosleep(64);\n      }']],
  ['warp_sums', 'butterfly', ['__shfl_down_sync(0xffffffffu, sum, step)', '__shfl_xor_sync(0xffffffffu, sum, step)']],
  [
    'sort',
    'swap by min and max',
    [
      'const int held = s[t];\n        s[t] = s[other];\n        s[other] = held;',
      'const int held = s[t] ^ s[other];\n        s[t] ^= held;\n        s[other] ^= held;',
    ],
  ],
  ['rounds', 'a mask written otherwise', ['from[t] & 0xffff', 'from[t] % 0x10000']],
];

function judge(kind, kernel, edit, replacements) {
  const reproducer = join(folder, 'kernels', 'gpu-delays', kernel);
  const source = join(reproducer, 'kernel_variant.cu');
  const record = { kind, kernel, edit };
  if (Date.now() > end) return { ...record, verdict: 'not run: out of time', ok: false };
  let text;
  try {
    text = readFileSync(source, 'utf8');
  } catch {
    return { ...record, verdict: 'not extracted', ok: false };
  }
  let edited = text;
  for (const [from, to] of replacements) {
    // Searches only this kernel: the app's other kernels are in the same file.
    const at = edited.indexOf(from, edited.search(new RegExp(`__global__ void ${kernel}\\(`)));
    if (at < 0) return { ...record, verdict: `nothing to edit: ${from}`, ok: false };
    edited = edited.slice(0, at) + to + edited.slice(at + from.length);
  }
  writeFileSync(source, edited);
  try {
    const built = kernloop(['recompile', '--reproducer', reproducer], { cwd: folder, limitSeconds: 60 });
    if (built.code !== 0)
      return { ...record, verdict: `recompile: ${built.code}`, summary: built.text.slice(-600), ok: false };
    const validate = (launches) =>
      kernloopJson(['validate', '--reproducer', reproducer, '--delays', launches], { cwd: folder, limitSeconds: 90 });
    const isWithoutFirst = edit.length % 2 === 0;
    const before = kind === 'honest' && isWithoutFirst ? validate('0') : null;
    const judged = validate(delays);
    const without = kind === 'honest' ? (before ?? validate('0')) : null;
    const {
      verdict = `exit ${judged.code}`,
      summary = judged.text.slice(-600),
      delays: found = null,
    } = judged.result ?? {};
    return {
      ...record,
      verdict,
      // If the usual replays fail, none are left for the delays.
      by: verdict === 'pass' ? '' : found?.seed ? 'delays' : 'usual replays',
      places: found?.places ?? [],
      summary,
      delays: found,
      seconds: rounded(judged.seconds, 2),
      ...(without ? { secondsWithout: rounded(without.seconds, 2) } : {}),
      ok: kind === 'planted' ? verdict === 'fail' : verdict === 'pass' && found?.judged === true,
    };
  } finally {
    writeFileSync(source, text);
  }
}

const records = [
  ...planted.map(([kernel, edit, ...replacements]) => ['planted', kernel, edit, replacements]),
  ...honest.map(([kernel, edit, ...replacements]) => ['honest', kernel, edit, replacements]),
].map((one) => {
  const record = judge(...one);
  console.log(JSON.stringify(record));
  return record;
});
const count = (kind, ok) => records.filter((one) => one.kind === kind && one.ok === ok).length;
const costs = records
  .flatMap(({ seconds, secondsWithout }) => (secondsWithout ? [seconds / secondsWithout] : []))
  .sort((a, b) => a - b);
const cost = costs.length > 0 ? rounded(costs[costs.length >> 1], 2) : null;
conclude(
  'gpu-delays',
  {
    cost,
    planted: { caught: count('planted', true), missed: count('planted', false) },
    honest: { passed: count('honest', true), failed: count('honest', false) },
    records,
  },
  [
    ['kind', 'kernel', 'edit', 'verdict', 'by', 'seconds', 'without', 'places', ''],
    ...records.map((r) => [
      r.kind,
      r.kernel,
      r.edit,
      r.verdict,
      r.by ?? '',
      r.seconds ?? '',
      r.secondsWithout ?? '',
      (r.places ?? []).map((place) => place.split('/').at(-1)).join(' '),
      r.ok ? 'ok' : 'WRONG',
    ]),
    ['planted', `${count('planted', true)} of ${planted.length} caught`, '', '', '', '', '', '', ''],
    ['honest', `${count('honest', true)} of ${honest.length} pass`, '', '', '', '', '', '', ''],
    ['cost', `${cost} times the seconds of a validate without delays`, '', '', '', '', '', '', ''],
  ],
  records.every(({ ok }) => ok),
);
