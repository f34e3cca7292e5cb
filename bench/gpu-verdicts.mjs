// Verdicts on a real GPU: wrong and right edits of kernels that are hard to judge, and the untouched code a thousand
// times. Then bench/gpu-delays.mjs: races and missing barriers.
//   node bench/gpu-verdicts.mjs [untouched=1000] [kernels that are replayed untouched]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, inParallel, kernloop, kernloopJson, native, root, workspace } from './gpu/host.mjs';

const untouched = Number(process.argv[2] ?? 1000);
const repeated = (process.argv[3] ?? 'scatter_sums,cancelling_sums,collect_records,collect_pairs').split(',');
const folder = workspace([]);
const app = join(folder, 'apps', 'gpu-verdicts');
mkdirSync(join(folder, 'apps'), { recursive: true });
cpSync(join(root, 'bench', 'gpu', 'verdicts'), app, { recursive: true });
// A refused kernel must not hide the others.
const extracted = kernloop(['extract', '--app', app], { cwd: folder, limitSeconds: 500 });
console.log(extracted.text.split('\n').slice(-12).join('\n'));

const reproducer = (kernel) => join(folder, 'kernels', 'gpu-verdicts', kernel);
/** Kernel, description of the edit, old and new text by turns, options of validate, the right verdicts. */
const edits = [
  [
    'collect_records',
    'fields swapped',
    ['Record{x[i], i}', 'Record{__int_as_float(i), __float_as_int(x[i])}'],
    [],
    ['fail'],
  ],
  [
    'collect_records',
    'value and index of different elements',
    ['Record{x[i], i}', 'Record{x[i], i ^ 1}'],
    [],
    ['fail'],
  ],
  [
    'collect_records',
    'index beside its value',
    ['out[place] = Record{x[i], i};', 'out[place].value = x[i];\n  out[place ^ 1].index = i;'],
    [],
    ['fail'],
  ],
  [
    'collect_records',
    'one record lost',
    ['out[place] = Record{x[i], i};', 'if (place != 5u) out[place] = Record{x[i], i};'],
    [],
    ['fail'],
  ],
  [
    'collect_records',
    'places claimed by a warp at once',
    [
      'const unsigned place = atomicAdd(count, 1u);',
      'const unsigned mask = __activemask(), lane = threadIdx.x % 32, leader = __ffs(mask) - 1;\n  unsigned first = 0;\n  if (lane == leader) first = atomicAdd(count, __popc(mask));\n  const unsigned place = __shfl_sync(mask, first, leader) + __popc(mask & ((1u << lane) - 1));',
    ],
    [],
    ['pass'],
  ],
  ['collect_pairs', 'value beside its key', ['values[place] = i;', 'values[place ^ 1] = i;'], [], ['fail', 'vacuous']],
  ['collect_pairs', 'another value', ['values[place] = i;', 'values[place] = i + 1;'], [], ['fail']],
  [
    'collect_pairs',
    'values first',
    ['keys[place] = x[i];\n  values[place] = i;', 'values[place] = i;\n  keys[place] = x[i];'],
    [],
    ['pass'],
  ],
  ['block_sums', 'a barrier less (racecheck)', ['    __syncthreads();\n  }', '  }'], ['--racecheck'], ['fail']],
  [
    'block_sums',
    'nothing wrong (racecheck)',
    ['s[t] += s[t + step]', 's[t] = s[t] + s[t + step]'],
    ['--racecheck'],
    ['pass'],
  ],
  ['scatter_sums', 'atomic made plain', ['atomicAdd(&sums[i % kSums], x[i])', 'sums[i % kSums] += x[i]'], [], ['fail']],
  [
    'scatter_sums',
    'an addend in 64 lost',
    ['if (i < n) atomicAdd', 'if (i < n && i % 64 != 5) atomicAdd'],
    [],
    ['fail'],
  ],
  ['scatter_sums', '0.1% too much', ['x[i]);', 'x[i] * 1.001f);'], [], ['fail']],
  [
    'cancelling_sums',
    'an addend in 64 lost',
    ['(i / kSums) % 2 ?', 'i % 64 == 5 ? 0.0f : (i / kSums) % 2 ?'],
    [],
    ['fail'],
  ],
  [
    'slot_maxima',
    'slots not initialised',
    ['slots[slot] = -INFINITY;', 'if (slot % 4 == 0) slots[slot] = -INFINITY;'],
    [],
    ['fail'],
  ],
  ['push_nodes', 'a value wrong', ['i * 3', 'i * 3 + (i == 5)'], [], ['fail', 'vacuous']],
  [
    'scale',
    'launch bounds below the block',
    ['__global__ void scale', '__global__ void __launch_bounds__(64) scale'],
    [],
    ['fail'],
  ],
  // Defects that the memory after a replay does not show by itself.
  [
    'window_sums',
    'reads behind its shared array',
    ['sum += s[t + k];', 'sum += s[t + k] + 0.0f * s[t + k + 1];'],
    ['--memcheck'],
    ['fail'],
  ],
  ['scale', 'reads behind its input', ['2.0f * x[i]', '2.0f * x[i] + 0.0f * x[i + n]'], ['--initcheck'], ['fail']],
  [
    'scale',
    'reads an allocation of its own that it did not write',
    [
      'if (i < n) y[i] = 2.0f * x[i];',
      'float* own = static_cast<float*>(malloc(16));\n  if (i < n) y[i] = 2.0f * x[i] + (own[1] == 12345.0f ? 1.0f : 0.0f);\n  free(own);',
    ],
    ['--initcheck'],
    ['fail'],
  ],
  ...['window_sums', 'scale', 'block_sums', 'collect_records'].flatMap((kernel) =>
    ['--memcheck', '--initcheck'].map((tool) => [kernel, 'nothing', ['const int', 'const int'], [tool], ['pass']]),
  ),
  // Edits that are right in one launch, on one multiprocessor, at one time.
  [
    'scale',
    'right in the first launch of a process alone',
    [
      '__global__ void scale(const float* x, float* y, int n) {',
      '__device__ unsigned launched;\n__global__ void scale(const float* x, float* y, int n) {\n  if (atomicAdd(&launched, 1u) >= gridDim.x * blockDim.x) return;',
    ],
    [],
    ['fail'],
  ],
  [
    'scale',
    'counts its calls, and puts the counter back',
    [
      '__global__ void scale(const float* x, float* y, int n) {',
      '__device__ unsigned launched;\n__global__ void scale(const float* x, float* y, int n) {\n  atomicInc(&launched, gridDim.x * blockDim.x - 1);',
    ],
    [],
    ['pass'],
  ],
  ...[
    ['from the third launch on', 2, ['fail']],
    ['from the hundredth launch on', 99, ['vacuous']],
  ].flatMap(([when, launches, right]) => [
    [
      'scale',
      `nothing ${when}, by a variable`,
      [
        '__global__ void scale(const float* x, float* y, int n) {',
        `__device__ unsigned launched;\n__global__ void scale(const float* x, float* y, int n) {\n  if (atomicAdd(&launched, 1u) >= ${launches}u * gridDim.x * blockDim.x) return;`,
      ],
      [],
      right,
    ],
    [
      'scale',
      `nothing ${when}, by a static variable of the kernel`,
      [
        '__global__ void scale(const float* x, float* y, int n) {',
        `__global__ void scale(const float* x, float* y, int n) {\n  static unsigned launched;\n  if (atomicAdd(&launched, 1u) >= ${launches}u * gridDim.x * blockDim.x) return;`,
      ],
      [],
      // If the driver gives no address for it, eight launches are judged, and the result says so.
      launches > 8 ? [...right, 'pass'] : right,
    ],
  ]),
  // An initializer counts only where the app does not set the variable.
  ...[
    ['bias_set', ['fail']],
    ['bias_own', ['pass']],
  ].map(([name, right]) => [
    'add_biases',
    `another initializer for ${name}, and its excess taken away`,
    [`${name} = 1.0f`, `${name} = 3.0f`, `+ ${name}`, `+ (${name} - 2.0f)`],
    [],
    right,
  ]),
  ['scale', 'the clock decides', ['2.0f * x[i]', '((clock64() & 63) == 0 ? 1.0f : 2.0f) * x[i]'], [], ['fail']],
  [
    'scale',
    'the multiprocessor decides',
    [
      'if (i < n) y[i] = 2.0f * x[i];',
      'unsigned sm;\n  asm("mov.u32 %0, %%smid;" : "=r"(sm));\n  if (i < n) y[i] = (sm & 1 ? 1.0f : 2.0f) * x[i];',
    ],
    [],
    ['fail'],
  ],
  [
    'scale',
    'launch bounds above the block',
    ['__global__ void scale', '__global__ void __launch_bounds__(512) scale'],
    [],
    ['pass'],
  ],
];

const records = [];
/** `replacements`: old and new text by turns. */
function edited(text, replacements, name) {
  let made = text;
  for (let index = 0; index < replacements.length; index += 2) {
    if (!made.includes(replacements[index])) throw new Error(`nothing to edit for "${name}"`);
    made = made.replace(replacements[index], replacements[index + 1]);
  }
  return made;
}

for (const [kernel, edit, replacements, options, right] of edits) {
  const source = join(reproducer(kernel), 'kernel_variant.cu');
  let text;
  try {
    text = readFileSync(source, 'utf8');
  } catch {
    records.push({ kernel, edit, right, verdict: 'not extracted', ok: false });
    continue;
  }
  writeFileSync(source, edited(text, replacements, `${kernel}: ${edit}`));
  const built = kernloop(['recompile', '--reproducer', reproducer(kernel)], { cwd: folder });
  const judged = kernloopJson(['validate', '--reproducer', reproducer(kernel), ...options], { cwd: folder });
  writeFileSync(source, text);
  const verdict = judged.result?.verdict ?? `exit ${judged.code}`;
  records.push({
    kernel,
    edit: [edit, ...options].join(' '),
    right,
    verdict: built.code === 0 ? verdict : `recompile: exit ${built.code}`,
    summary: judged.result?.summary ?? judged.text.slice(-400),
    ...(judged.result?.sanitizer ? { sanitizer: judged.result.sanitizer } : {}),
    ok: right.includes(verdict),
  });
  console.log(JSON.stringify(records.at(-1)));
}

// A variant gets a ratio of times only if every timed launch did the same as the first.
const timer = 'unsigned long long now;\n  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));\n';
const keeps =
  'unsigned long long keep;\n  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));\n  float v = 0.0f;\n' +
  '  if (i < n) asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(x + i), "l"(keep));\n  if (i < n) y[i] = 2.0f * v;';
const isSteady = ({ check }) => check !== null && check.variant.wrong_launches === 0 && check.variant.launches > 30;
const comparisons = [
  [
    'scale',
    'nothing in every second 262 microseconds',
    ['if (i < n) y[i]', `${timer}  if ((now >> 18) & 1) return;\n  if (i < n) y[i]`],
    [],
    'no ratio',
    ({ check, speed }) => speed === null && check.variant.wrong_launches > 0,
  ],
  [
    'scale',
    'a sum instead of a product',
    ['2.0f * x[i]', 'x[i] + x[i]'],
    [],
    'a ratio, every launch right',
    (result) => result.speed !== null && isSteady(result),
  ],
  [
    'scale',
    'asks the L2 cache to keep its input',
    ['if (i < n) y[i] = 2.0f * x[i];', keeps],
    ['--cache', 'cold'],
    'not faster, every launch right',
    (result) => result.speed !== null && result.speed.verdict !== 'faster' && isSteady(result),
  ],
].map(([kernel, edit, replacements, options, right, holds]) => {
  const source = join(reproducer(kernel), 'kernel_variant.cu');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, edited(text, replacements, `${kernel}: ${edit}`));
  const built = kernloop(['recompile', '--reproducer', reproducer(kernel)], { cwd: folder });
  const compared = kernloopJson(['replay', '--compare', '--reproducer', reproducer(kernel), ...options], {
    cwd: folder,
  });
  writeFileSync(source, text);
  const { check = null, speed = null, conditions = null, doubts = null } = compared.result ?? {};
  const ok = built.code === 0 && compared.result !== undefined && holds(compared.result);
  return { kernel, edit, right, check, speed, conditions, doubts, ...(ok ? {} : { text: compared.text }), ok };
});

// The captured code itself: every verdict but "pass" is a false alarm. These are the replays of a validate, without its
// start and its lock.
const repeats = [];
for (const kernel of repeated) {
  const capture = join(reproducer(kernel), 'capture');
  const ends = await inParallel(
    12,
    Array.from({ length: untouched }, (_, index) => [
      join(native, 'bin', 'kernloop-replay'),
      [
        ...['--capture', capture, '--store', join(folder, '.kernloop', 'store')],
        ...['--compare', '--known-varying', join(capture, 'selfcheck.json')],
        ...['--poison', index % 2 ? '0x5A' : '0xA5', '--limit-seconds', '60'],
      ],
    ]),
  );
  const failed = ends.filter(({ code }) => code !== 0);
  repeats.push({ kernel, replays: ends.length, failed: failed.length, first: failed[0]?.text.slice(-600) ?? null });
}

conclude(
  'gpu-verdicts',
  { edits: records, comparisons, untouched: repeats },
  [
    ['kernel', 'edit', 'right', 'verdict', ''],
    ...records.map((r) => [r.kernel, r.edit, r.right.join(' or '), r.verdict, r.ok ? 'ok' : 'WRONG']),
    ...comparisons.map((r) => [
      r.kernel,
      `compare: ${r.edit}`,
      r.right,
      `${r.speed?.verdict ?? 'no ratio'}, ${r.check?.variant.wrong_launches} of ${r.check?.variant.launches} launches wrong`,
      r.ok ? 'ok' : 'WRONG',
    ]),
    ...repeats.map((r) => [
      r.kernel,
      `untouched, ${r.replays} replays`,
      '0 failed',
      `${r.failed} failed`,
      r.failed ? 'WRONG' : 'ok',
    ]),
  ],
  records.every(({ ok }) => ok) && comparisons.every(({ ok }) => ok) && repeats.every(({ failed }) => failed === 0),
);
const delays = spawnSync(process.execPath, [join(root, 'bench', 'gpu-delays.mjs')], { stdio: 'inherit' });
if (delays.status !== 0) process.exitCode = 1;
