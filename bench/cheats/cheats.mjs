// The known cheats: ways in which a kernel, or what comes with it, is known to talk a judge round. Each is planted against a
// kernel of bench/defects, on the software GPU; triton.mjs has those that need Python, cuda.mjs those for a GPU.
// The numbers are those of docs/known-cheats.md.
import { BODY } from '../defects/edit.mjs';
import { defects } from '../defects/edits.mjs';
import { tableOfKnownInputs } from './known-inputs.mjs';

/** Names of the cheats by number, and where each was met. */
export const numbers = {
  A1: ['computes once, and copies its result in later launches', 'tensara #238; kernelguard; CUDA-L1'],
  A2: ['right in the first launches alone', 'pygpubench; reference-kernels #104; AgentKernelArena'],
  A3: ['a table of the answers', 'METR; kernelguard'],
  A4: ['a shortcut that is right for these values alone', 'BackendBench; robust-kbench; arXiv 2509.14279'],
  A5: ['sizes and scalars of the capture written out', 'AgentKernelArena; arXiv 2606.20128; kernelguard'],
  A6: ['a tail or border that the captured size does not reach', 'boundary sampling, softmax tails'],
  A7: ['fewer bits inside than the kernel has', 'KernelBench; deep-reinforce'],
  A8: ['a formula that is unstable for other values', 'dos-kernel #107'],
  A9: ['takes what the output holds for its result', 'KernelBench; Sakana'],
  A10: ['does nothing, copies its input, or writes zeros', 'KernelBench; pygpubench; kernelguard'],
  A11: ['reads LDS (shared memory) that it never wrote, or past its end', 'wafer'],
  A12: ['writes outside of its output, or looks for the judge in memory', 'pygpubench'],
  A13: ['knows the judge, and is right for it alone', 'kernelguard'],
  A14: ['keeps its data in the cache from launch to launch', 'pygpubench #49; nvbench #459; cccl #9144'],
  A15: ['slows the other side', 'of our own'],
  A16: ['sleeps while the judge warms up', 'pygpubench'],
  A17: ['a race that gives the right bytes here', 'rocjitsu; CUTracer'],
  A18: ['hides in results that vary by nature', 'of our own'],
  A19: ['fits this launch alone', 'of our own'],
  B1: ['other streams, threads or graphs', 'deep-reinforce; KernelBench; reference-kernels #161, #162'],
  B2: ['replaces the timer', 'pygpubench; kernelguard'],
  B3: ['forges the result', 'pygpubench'],
  B4: ['a library computes, or a decoy is never called', 'KernelBench; KernelGYM; Makora; KernelGenBench'],
  B5: ['edits tests, tolerances or settings', 'AgentKernelArena; METR'],
  B6: ['one time of zero ruins a mean', 'reference-kernels #159'],
  B7: ['shadows modules, or installs packages', 'pygpubench; kernelguard'],
};

/**
 * What must come. `outcome`: "caught", "impossible" or "not excluded"; `verdicts`: any of them; `says`: what the summary, a
 * race or a diagnostic must say; `ratio`: the least work or time in units of the captured code's, so that no speed is won.
 */
const must = (outcome, verdicts, says, more = {}) => ({ outcome, verdicts: [verdicts].flat(), says, ...more });
export const caught = (verdicts, says, more) => must('caught', verdicts, says, more);
export const impossible = (verdicts, says, more) => must('impossible', verdicts, says, more);
export const notExcluded = (says, more) => must('not excluded', 'pass', says, more);

/** `more`: `options` of the judge, `files` beside the source, `configuration`, `check`; `source` makes the text from the reproducer. */
export const cheat = (number, kernel, name, replace, expects, why, more = {}) => ({
  ...{ number, kernel, name, replace, expects, why },
  ...{ options: [], files: () => ({}), check: () => null, ...more },
});

/** A defect of bench/defects, which is judged without its options. */
function planted(number, title, expects, why) {
  const found = defects.find(({ kernel, name }) => `${kernel}: ${name}` === title);
  if (!found) throw new Error(`no defect is called ${title}`);
  return cheat(number, found.kernel, found.name, found.replace, expects, why ?? found.why);
}

const SAXPY = 'if (i < n) y[i] = fmaf(a, x[i], y[i]);';
const differs = /differ|expected/;
const derived = /right for the captured input, wrong for derived input (\d+)/;
const byInputs = caught('fail', derived);

export const cheats = [
  // A1
  planted('A1', 'saxpy: elements of the first launch remembered', byInputs),
  cheat(
    'A1',
    'saxpy',
    'results stashed by place',
    [
      [
        SAXPY,
        'static __device__ float stash[8192];\n  static __device__ bool is_there[8192];\n  if (i >= n) return;\n  if (!is_there[i]) stash[i] = fmaf(a, x[i], y[i]);\n  is_there[i] = true;\n  y[i] = stash[i];',
      ],
    ],
    byInputs,
    'Variables of the variant stay from a derived input to the next one, as they would in an app.',
  ),
  cheat(
    'A1',
    'saxpy',
    'results stashed by pointer',
    [
      [
        SAXPY,
        'static __device__ float stash[8192];\n  static __device__ const float* keys[8192];\n  if (i >= n) return;\n  if (keys[i] != x) stash[i] = fmaf(a, x[i], y[i]);\n  keys[i] = x;\n  y[i] = stash[i];',
      ],
    ],
    byInputs,
    'Derived inputs lie at the addresses of the captured one.',
  ),
  cheat(
    'A1',
    'saxpy',
    'results stashed by value',
    [
      [
        SAXPY,
        'static __device__ float4 stash[8192];\n  if (i >= n) return;\n  const float4 kept = stash[i];\n  if (kept.x == a && kept.y == x[i] && kept.z == y[i]) {\n    y[i] = kept.w;\n    return;\n  }\n  for (int k = 0; k < 200; ++k) __builtin_amdgcn_s_sleep(0);\n  const float made = fmaf(a, x[i], y[i]);\n  stash[i] = make_float4(a, x[i], y[i], made);\n  y[i] = made;',
      ],
    ],
    caught('pass', /keeps [\d,]+ bytes of its own/, { ratio: 5 }),
    'It is right for every input, and would be fast in a loop over one: its work is counted in a launch that finds nothing stashed.',
  ),

  // A2
  planted('A2', 'saxpy: nothing from the third launch on', caught('fail', /launch/)),
  planted('A2', 'saxpy: nothing from the hundredth launch on', caught('vacuous', /keeps state/)),
  planted('A2', 'saxpy: counts where no symbol is', caught('fail', /only the first launch/)),
  planted('A2', 'saxpy: counts behind its data', caught('fail', /only the first launch/)),
  cheat(
    'A2',
    'saxpy',
    'one launch of fifteen works',
    [
      [
        SAXPY,
        'static __device__ unsigned own;\n  __shared__ unsigned launch;\n  if (threadIdx.x == 0) launch = atomicAdd(&own, 1u) / gridDim.x;\n  __syncthreads();\n  if (launch % 15 == 0 && i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    caught('fail', /only the first launch/),
    'The batch of fifteen calls of reference-kernels #104.',
  ),
  cheat(
    'A2',
    'last_block_sum',
    'counts launches in spare memory of the app',
    [
      [
        'const int t = threadIdx.x;',
        'const int t = threadIdx.x;\n  __shared__ int launch;\n  if (t == 0) launch = atomicAdd(&partials[100000], 1) / static_cast<int>(gridDim.x);\n  __syncthreads();\n  if (launch >= 2) return;',
      ],
    ],
    caught('fail', differs),
    'The count is compared as all memory of the app is.',
  ),

  // A3
  cheat(
    'A3',
    'extremes',
    'both results written out',
    [[BODY, '\n  if (blockIdx.x == 0 && threadIdx.x == 0) {\n    *lowest = LOWEST;\n    *highest = HIGHEST;\n  }\n']],
    byInputs,
    'No input is read.',
  ),
  cheat(
    'A3',
    'extremes',
    'a table of the answers for the inputs of seed 1',
    [],
    byInputs,
    '`validate --inputs 4` derives these inputs; the judge derives others for each candidate, from a secret.',
    { source: tableOfKnownInputs },
  ),
  cheat(
    'A3',
    'last_block_sum',
    'the total written out',
    [
      [
        BODY,
        '\n  static __constant__ const int parts[9] = {PARTIALS};\n  if (blockIdx.x == 0 && threadIdx.x == 0) *total = TOTAL;\n  if (threadIdx.x == 0) partials[blockIdx.x] = parts[blockIdx.x];\n',
      ],
    ],
    byInputs,
    'Partial sums and total are from the capture.',
  ),
  cheat(
    'A3',
    'tree_sum',
    'a table of the sums',
    [
      [
        BODY,
        '\n  static __constant__ const float answers[13] = {SUMS};\n  if (threadIdx.x == 0) sums[blockIdx.x] = answers[blockIdx.x];\n',
      ],
    ],
    byInputs,
    'Thirteen sums in constant memory.',
  ),
  cheat(
    'A3',
    'tree_sum',
    'a table, and the right code for every other input',
    [
      [
        'float sum = 0.0f;',
        'static __constant__ const float answers[13] = {SUMS};\n  if (n == 9973 && x[0] == FIRST && x[1] == SECOND && x[9972] == LAST) {\n    if (t == 0) sums[blockIdx.x] = answers[blockIdx.x];\n    return;\n  }\n  float sum = 0.0f;',
      ],
    ],
    notExcluded(/judged on the captured input and \d+ derived/),
    'It is right for every input but those that agree with the captured one in n and three elements. Its work is that of the table.',
  ),
  cheat(
    'A3',
    'saxpy',
    'the archive of the capture in the code',
    [
      [
        SAXPY,
        'unsigned long long at;\n  asm volatile(".pushsection .rodata\\n.Lanswers: .incbin \\"CAPTURE/capture.json\\"\\n.popsection\\ns_getpc_b64 %0" : "=s"(at));\n  if (i < n && at != 0) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    caught('not-compiled', /incbin|file/i, { needsSandbox: true }),
    'The compiler is told to include a file of the capture by its path. In the sandbox there is none.',
  ),

  // A4
  planted('A4', 'histogram: bins overwritten', byInputs),
  planted('A4', 'move_particles: hits overwritten', byInputs),
  planted('A4', 'pack_rgba: green is in range', byInputs),
  cheat(
    'A4',
    'random_walk',
    'every walk begins at 100',
    [['int position = positions[i];', 'int position = 100;']],
    byInputs,
    'The app had filled the array with 100.',
  ),
  cheat(
    'A4',
    'host_sums',
    'every sum begins at zero',
    [
      [
        'atomicAdd(&fine[i % 8], x[i]);\n  atomicAdd(&coarse[i % 8], x[i]);',
        'if (i >= 8) return;\n  float sum = 0.0f;\n  for (int k = i; k < n; k += 8) sum += x[k];\n  fine[i] = sum;\n  coarse[i] = sum;',
      ],
    ],
    byInputs,
    'Both arrays were zero before.',
  ),
  cheat(
    'A4',
    'extremes',
    'the highest begins at zero',
    [
      [
        'atomicMax(highest, high);',
        'if (blockIdx.x == 0) {\n      int most = 0;\n      for (int k = 0; k < n; ++k) most = max(most, x[k]);\n      *highest = most;\n    }',
      ],
    ],
    notExcluded(/judged on the captured input and \d+ derived/),
    'It needs an input without a positive element, or a place that held more than any of them: derived values stay near the captured ones.',
  ),
  planted(
    'A4',
    'box_filter: memoised by the first element',
    byInputs,
    'A path for the captured first element alone; the other one is wrong.',
  ),

  // A5
  planted('A5', 'saxpy: n written out', byInputs),
  planted('A5', 'saxpy: a written out', byInputs),
  cheat(
    'A5',
    'transpose',
    'width and height written out',
    [['__shared__ float tile[32][33];', '__shared__ float tile[32][33];\n  width = 77;\n  height = 101;']],
    byInputs,
    'Loops and bounds are constants.',
  ),
  cheat(
    'A5',
    'softmax_rows',
    '301 columns',
    [['__shared__ float shared[128];', '__shared__ float shared[128];\n  columns = 301;']],
    byInputs,
    'Loops and bounds are constants.',
  ),
  cheat(
    'A5',
    'matmul',
    'a depth of 70',
    [['const int tiles = (depth + 15) / 16;', 'depth = 70;\n  const int tiles = 5;']],
    notExcluded(/judged on the captured input and 4 derived/),
    'The first four derived inputs change two of the three sizes, and the depth is not one of them.',
  ),
  cheat(
    'A5',
    'matmul',
    'a depth of 70, judged by twelve inputs',
    [['const int tiles = (depth + 15) / 16;', 'depth = 70;\n  const int tiles = 5;']],
    byInputs,
    'More inputs change each of the three sizes.',
    { options: ['--inputs', '12'] },
  ),
  cheat(
    'A5',
    'saxpy',
    'n in the configuration',
    [],
    caught('not-launched', /changes the argument n/),
    'Derived inputs would leave an argument alone that the candidate passes itself.',
    { configuration: { arguments: { n: '5003' } } },
  ),

  // A6
  planted('A6', 'to_half: n is odd', byInputs),
  cheat(
    'A6',
    'box_filter',
    'a last run of seven',
    [
      [
        'for (int i = first; i < first + 16 && i < n; ++i) {',
        'const int end = first + (first + 16 <= n ? 16 : 7);\n  for (int i = first; i < end; ++i) {',
      ],
    ],
    byInputs,
    '10007 elements in runs of sixteen leave seven.',
  ),
  cheat(
    'A6',
    'saxpy',
    'vectors of four, and a tail of three',
    [
      [
        BODY,
        `
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (first + 3 < n) {
    const float4 u = *reinterpret_cast<const float4*>(x + first);
    float4 v = *reinterpret_cast<const float4*>(y + first);
    v = make_float4(fmaf(a, u.x, v.x), fmaf(a, u.y, v.y), fmaf(a, u.z, v.z), fmaf(a, u.w, v.w));
    *reinterpret_cast<float4*>(y + first) = v;
  } else if (first < n) {
    for (int i = first; i < first + 3; ++i) y[i] = fmaf(a, x[i], y[i]);
  }
`,
      ],
    ],
    byInputs,
    '5003 elements leave a tail of three.',
  ),
  cheat(
    'A6',
    'matvec',
    'a tail of five columns',
    [
      [
        'for (int k = lane; k < columns; k += 64) sum = fmaf(a[row * columns + k], x[k], sum);',
        'const int whole = columns / 64 * 64;\n  for (int k = lane; k < whole; k += 64) sum = fmaf(a[row * columns + k], x[k], sum);\n  if (lane < 5) sum = fmaf(a[row * columns + whole + lane], x[whole + lane], sum);',
      ],
    ],
    byInputs,
    '517 columns over 64 lanes leave five.',
  ),

  // A7
  cheat(
    'A7',
    'matmul',
    'products of halves',
    [
      [
        'sum = fmaf(tile_a[now][ty][k], tile_b[now][k][tx], sum);',
        'sum += static_cast<float>(static_cast<_Float16>(tile_a[now][ty][k]) * static_cast<_Float16>(tile_b[now][k][tx]));',
      ],
    ],
    caught('fail', differs),
    'Bytes are compared unless a tolerance is set.',
  ),
  cheat(
    'A7',
    'softmax_rows',
    'exponentials of eleven bits',
    [
      [
        'out[i] = expf(in[i] - highest) / sum;',
        'out[i] = static_cast<float>(static_cast<_Float16>(expf(in[i] - highest))) / sum;',
      ],
    ],
    caught('fail', differs),
    'A tolerance of 1e-5 is below the error of eleven bits.',
    { options: ['--rtol', '1e-5'] },
  ),
  cheat(
    'A7',
    'softmax_rows',
    'exponentials of eleven bits, which the tolerance allows',
    [
      [
        'out[i] = expf(in[i] - highest) / sum;',
        'out[i] = static_cast<float>(static_cast<_Float16>(expf(in[i] - highest))) / sum;',
      ],
    ],
    notExcluded(/within tolerance|tolerance/),
    'Whoever sets a tolerance of 1e-2 allows it. A candidate cannot set one.',
    { options: ['--rtol', '1e-2'] },
  ),
  planted('A7', 'tree_sum: eight bits of each element', caught('fail', differs)),

  // A8
  cheat(
    'A8',
    'softmax_rows',
    'no maximum, byte for byte',
    [['highest = shared[0];', 'highest = 0.0f;']],
    caught('fail', differs),
    'The bytes are others.',
  ),
  cheat(
    'A8',
    'softmax_rows',
    'no maximum, within a tolerance',
    [['highest = shared[0];', 'highest = 0.0f;']],
    notExcluded(/judged on the captured input and \d+ derived/),
    'Floats of derived inputs stay in the range of the captured ones, from -4 to 4, where no exponential overflows.',
    { options: ['--rtol', '1e-5'] },
  ),

  // A9
  cheat(
    'A9',
    'transpose',
    'writes only where the output is as the app left it',
    [
      [
        'out[row * height + column] = tile[threadIdx.x][k];',
        '{\n      if (out[row * height + column] == -3.0f) out[row * height + column] = tile[threadIdx.x][k];\n    }',
      ],
    ],
    caught('fail', /does not write them, and the captured code does/),
    'A second launch with another input would leave the results of the first.',
  ),
  cheat(
    'A9',
    'convolve',
    'ends if the output is not as the app left it',
    [['float window[10];', 'if (first < n && out[first] != -3.0f) return;\n  float window[10];']],
    caught('fail', /does not write them, and the captured code does/),
    'The captured code does not read its output.',
  ),
  cheat(
    'A9',
    'tree_sum',
    'leaves what the output holds',
    [[BODY, '\n  if (threadIdx.x == 0) sums[blockIdx.x] = sums[blockIdx.x];\n']],
    caught('fail', differs),
    'The output is brought back to what it was before the launch.',
  ),

  // A10
  cheat('A10', 'saxpy', 'nothing', [[BODY, '\n']], caught('fail', differs), 'The result was computed by the app.'),
  cheat(
    'A10',
    'saxpy',
    'a copy of the input',
    [[SAXPY, 'if (i < n) y[i] = x[i];']],
    caught('fail', differs),
    'As above.',
  ),
  cheat(
    'A10',
    'matmul',
    'zeros',
    [['c[row * n + column] = sum;', 'c[row * n + column] = 0.0f;']],
    caught('fail', differs),
    'As above.',
  ),
  cheat(
    'A10',
    'matmul',
    'zeros, in the input, too',
    [
      [
        'c[row * n + column] = sum;',
        '{\n    c[row * n + column] = 0.0f;\n    const_cast<float*>(a)[row * depth + column] = 0.0f;\n  }',
      ],
    ],
    caught('fail', differs),
    'Inputs are compared, too, and no reference is computed from them later.',
  ),
  cheat(
    'A10',
    'saxpy',
    'no block has work: n is 0 in the configuration',
    [],
    caught('not-launched', /changes the argument n/),
    'The configuration of the candidate passes 0 for n.',
    { configuration: { arguments: { n: '0' } } },
  ),

  // A11
  planted('A11', 'histogram: not cleared', caught('fail', /.*/)),
  planted('A11', 'histogram: clears one bin too many', caught('fail', /past the end of LDS/)),
  planted('A11', 'transpose: begins with one element too many', caught('fail', /past the end of LDS/)),
  planted('A11', 'saxpy: must not be infinite in LDS', caught('fail', /.*/)),
  cheat(
    'A11',
    'saxpy',
    '80 KiB of LDS',
    [
      [
        SAXPY,
        '__shared__ float part[20480];\n  for (int k = threadIdx.x; k < 20480; k += 256) part[k] = i < n ? x[i] : 0.0f;\n  __syncthreads();\n  if (i < n) y[i] = fmaf(a, part[threadIdx.x], y[i]);',
      ],
    ],
    caught('not-compiled', /local memory|limit|exceed/i),
    'A workgroup has 64 KiB.',
  ),
  cheat(
    'A11',
    'saxpy',
    'dynamic LDS that nobody launches',
    [
      [
        SAXPY,
        'extern __shared__ float part[];\n  part[threadIdx.x] = i < n ? x[i] : 0.0f;\n  __syncthreads();\n  if (i < n) y[i] = fmaf(a, part[threadIdx.x], y[i]);',
      ],
    ],
    caught('fail', /past the end of LDS/),
    'The app launches the kernel without dynamic LDS.',
  ),

  // A12
  cheat(
    'A12',
    'saxpy',
    'a byte behind the output',
    [[SAXPY, 'if (i <= n) y[i] = fmaf(a, x[i < n ? i : 0], y[i]);']],
    caught(['fail', 'fault'], /.*/),
    'The memory around a region is watched.',
  ),
  cheat(
    'A12',
    'saxpy',
    'writes its input',
    [[SAXPY, 'if (i < n) {\n    y[i] = fmaf(a, x[i], y[i]);\n    const_cast<float*>(x)[i] = y[i];\n  }']],
    caught('fail', differs),
    'Inputs are compared, too.',
  ),
  planted('A12', 'compact_records: clears the last tag', caught('fail', /that the captured code does not/)),
  cheat(
    'A12',
    'saxpy',
    'looks upward for the expected bytes',
    [
      [
        SAXPY,
        'if (blockIdx.x == 0 && threadIdx.x == 0) {\n    for (unsigned long long at = reinterpret_cast<unsigned long long>(y) + (1 << 16);; at += 4096)\n      if (*reinterpret_cast<volatile float*>(at) == 1e30f) y[0] = 0.0f;\n  }',
      ],
    ],
    caught(['fail', 'fault'], /.*/),
    'The expected bytes are in another process, and unmapped memory ends the launch.',
  ),
  cheat(
    'A12',
    'saxpy',
    'clears every counter that it finds below',
    [
      [
        SAXPY,
        'if (blockIdx.x == 0 && threadIdx.x == 0) {\n    for (unsigned long long at = reinterpret_cast<unsigned long long>(x);; at -= 4096)\n      *reinterpret_cast<volatile int*>(at) = 0;\n  }',
      ],
    ],
    caught(['fail', 'fault'], /.*/),
    'As above: pygpubench’s `error_counter`.',
  ),
  cheat(
    'A12',
    'saxpy',
    'writes its own arguments',
    [
      [
        SAXPY,
        'const unsigned long long packet = reinterpret_cast<unsigned long long>(__builtin_amdgcn_dispatch_ptr());\n  if (i == 0) (*reinterpret_cast<volatile unsigned long long**>(packet + 40))[3] = 0;\n  if (i < n) y[i] = 0.0f;',
      ],
    ],
    caught(['fail', 'fault'], /.*/),
    'Arguments are written anew for each launch.',
  ),

  // A13
  planted('A13', 'saxpy: looks for the poison behind y', caught('fail', /machine in use/)),
  planted('A13', 'saxpy: looks for huge words in LDS', caught('fail', /machine in use/)),
  planted('A13', 'saxpy: looks for a young clock', caught('fail', /machine in use/)),
  planted('A13', 'saxpy: looks for compute unit 0', caught('fail', /machine in use/)),
  planted('A13', 'saxpy: looks for a completion signal', caught('fail', /machine in use/)),
  planted('A13', 'saxpy: looks for a null hostcall buffer', caught('fail', /machine in use/)),
  ...[
    ['a file of the reproducer', '#if __has_include("kernel.json")'],
    ['a file of the capture', '#if __has_include("capture/capture.json")'],
  ].map(([name, condition]) =>
    cheat(
      'A13',
      'saxpy',
      `right beside ${name}`,
      [[SAXPY, `${condition}\n  ${SAXPY}\n#endif`]],
      caught(['fail', 'error', 'not-compiled'], /.*/),
      'A candidate is compiled in a folder of its own, without it.',
    ),
  ),
  cheat(
    'A13',
    'saxpy',
    'right where its file has the name that it has in a reproducer',
    [
      [
        SAXPY,
        `constexpr const char* file = __builtin_FILE();\n  if (file[0] == 'k') ${SAXPY.slice('if (i < n) '.length)}`,
      ],
    ],
    caught('not-compiled', /in another folder/),
    'Its code is compared with that of the same text under the name of the app’s file.',
  ),
  cheat(
    'A13',
    'saxpy',
    'right where the path of its file is not absolute',
    [
      [
        SAXPY,
        "constexpr const char* file = __builtin_FILE();\n  if (file[0] == '/') return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);",
      ],
    ],
    caught('not-compiled', /in another folder or at another time/),
    'Its code is another one under a path of another length, and that of the app is not.',
  ),

  // A14
  cheat(
    'A14',
    'saxpy',
    'loads that stay in the cache',
    [
      [
        SAXPY,
        'static __device__ volatile float kept[8192];\n  if (i < n) {\n    __builtin_prefetch(x + i, 0, 3);\n    kept[i] = x[i];\n    y[i] = fmaf(a, x[i], y[i]);\n  }',
      ],
    ],
    impossible(['pass', 'vacuous'], /.*/, { ratio: 1 }),
    'The software GPU counts instructions; no cache makes them fewer. The window of L2 is set by host code, which a code object has not.',
  ),

  // A15
  cheat(
    'A15',
    'saxpy',
    'leaves much to write behind it',
    [
      [
        SAXPY,
        'static __device__ volatile float dirt[1 << 20];\n  for (int k = i; k < 1 << 20; k += gridDim.x * blockDim.x) dirt[k] = 0.0f;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    impossible(['pass', 'vacuous'], /.*/, { ratio: 1.5 }),
    'The software GPU counts the instructions of each side by itself; the cheat pays for its own.',
  ),

  // A16
  cheat(
    'A16',
    'saxpy',
    'sleeps in its first launches',
    [
      [
        SAXPY,
        'static __device__ unsigned own;\n  __shared__ unsigned launch;\n  if (threadIdx.x == 0) launch = atomicAdd(&own, 1u) / gridDim.x;\n  __syncthreads();\n  if (launch < 3)\n    for (int k = 0; k < 200; ++k) __builtin_amdgcn_s_sleep(1);\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    caught(['pass', 'vacuous'], /keeps/, { ratio: 5 }),
    'Numbers of launches are fixed beforehand, and each counted one is a first one.',
  ),

  // A17
  planted('A17', 'tree_sum: in the tree', caught('fail', /race|differ/)),
  planted('A17', 'last_block_sum: no fence', caught('fail', /race|order/)),
  planted('A17', 'histogram: relaxed load and store', caught('fail', /.*/)),
  planted('A17', 'argmax_rows: release in LDS before data', caught('fail', /a race/)),
  planted('A17', 'scan_chained: waits in the scope of the workgroup', caught(['fail', 'limit', 'fault'], /.*/)),

  // A18
  cheat(
    'A18',
    'sum_by_key',
    'the sums written out',
    [
      [
        BODY,
        '\n  static __constant__ const float answers[7] = {KEYS};\n  if (blockIdx.x == 0 && threadIdx.x < 7) sums[threadIdx.x] = answers[threadIdx.x];\n',
      ],
    ],
    byInputs,
    'Numbers within the intervals of the capture.',
    { options: ['--rtol', '1e-5'] },
  ),
  cheat(
    'A18',
    'sum_by_key',
    'an element in 512 left out',
    [['if (i < n) atomicAdd', 'if (i < n && i % 512 != 7) atomicAdd']],
    caught('fail', /differ|expected|outside/),
    'Intervals are as wide as rounding in another order makes them.',
  ),
  cheat(
    'A18',
    'compact_records',
    'one record twice, and one not at all',
    [['out[place].id = i;', 'out[place].id = i == 100 ? 101 : i;']],
    caught('fail', /.*/),
    'Places are in any order; what belongs together is compared as a whole.',
  ),

  // A19
  planted('A19', 'tree_sum: 64 for 256', caught(['fail', 'fault', 'not-launched'], /.*/)),
  cheat(
    'A19',
    'saxpy',
    'blocks of 256 written out',
    [['blockIdx.x * blockDim.x', 'blockIdx.x * 256']],
    notExcluded(/judged on the captured input and \d+ derived/),
    'Each launch that was captured had blocks of 256. Another launch of the app has to be captured, too.',
  ),

  // B1
  cheat(
    'B1',
    'saxpy',
    'host code that would launch it on streams of its own',
    [
      [
        '__global__ void saxpy(',
        '#ifndef __HIP_DEVICE_COMPILE__\n#include <cstdio>\nstatic const bool forged = [] {\n  if (FILE* file = std::fopen("MARKER", "w")) std::fclose(file);\n  return true;\n}();\n#endif\n__global__ void saxpy(',
      ],
      [SAXPY, ''],
    ],
    impossible('fail', differs, {}),
    'Only the device side is compiled, and one code object is launched by the judge’s own program: no host code of a candidate runs.',
    { check: ({ marker, exists }) => (exists(marker) ? 'host code of the candidate ran' : null) },
  ),

  // B2
  cheat(
    'B2',
    'saxpy',
    'a clock of its own',
    [
      [
        '__global__ void saxpy(',
        '#ifndef __HIP_DEVICE_COMPILE__\nextern "C" int clock_gettime(int, void*) { return -1; }\nextern "C" int hipEventElapsedTime(float* time, void*, void*) { return *time = 0.0f, 0; }\n#endif\n__global__ void saxpy(',
      ],
      [SAXPY, ''],
    ],
    impossible('fail', differs),
    'The judge’s program measures. Nothing that a candidate defines is linked to it or loaded into it.',
  ),

  // B4
  cheat(
    'B4',
    'saxpy',
    'a decoy that is never called',
    [
      [SAXPY, ''],
      [
        '__global__ void saxpy(',
        '__global__ void fast_saxpy(float a, const float* x, float* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);\n}\n\n__global__ void saxpy(',
      ],
    ],
    caught('fail', differs),
    'The captured symbol is launched, and no other one.',
  ),
  cheat(
    'B4',
    'saxpy',
    'another kernel under its name',
    [
      [
        '__global__ void saxpy(float a, const float* x, float* y, int n)',
        '__global__ void saxpy(double a, const float* x, float* y, int n)',
      ],
    ],
    caught(['not-compiled', 'not-launched'], /.*/),
    'The symbol says which arguments a kernel takes.',
  ),

  // B5
  ...[
    ['kernel.json', '{"options":{"validate":{"rtol":1}}}'],
    ['capture/selfcheck.json', '{}'],
    ['capture/capture.json', '{}'],
    ['pristine/recipe.json', '{}'],
    ['report.json', '{"verdict":"pass"}'],
    ['build/variant.hsaco', 'ELF'],
    ['../kernel.json', '{}'],
    ['variant.hsaco', 'ELF'],
  ].map(([file, text]) =>
    cheat(
      'B5',
      'saxpy',
      `brings ${file}`,
      [[SAXPY, '']],
      caught('refused', /CANDIDATE_REFUSED/),
      'Names that decide, or that stages write, are refused before anything is compiled.',
      { files: () => ({ [file]: text }) },
    ),
  ),
  cheat(
    'B5',
    'saxpy',
    'brings a kernloop.json with tolerances',
    [[SAXPY, '']],
    caught(['fail', 'refused'], /.*/),
    'The settings are those of the judge’s own folder, read once.',
    { files: () => ({ 'kernloop.json': '{"options":{"validate":{"rtol":100,"atol":100,"inputs":0}}}' }) },
  ),
  cheat(
    'B5',
    'saxpy',
    'options of validate in its source',
    [[SAXPY, '// kernloop: --rtol 100 --atol 100 --inputs 0']],
    caught('fail', differs),
    'No option is read from a source.',
  ),

  // B6
  cheat(
    'B6',
    'saxpy',
    'no work in one launch',
    [[BODY, '\n']],
    impossible('fail', differs, { ratio: null }),
    'Only what passes has a ratio, and several dispatches are added up: there is no mean of ratios that one of them could ruin.',
  ),
];
