// The known cheats on a GPU: planted against kernels of bench/gpu/verdicts.
import { BODY, right } from '../defects/edit.mjs';
import { caught, cheat, impossible, notExcluded } from './cheats.mjs';

const SCALE = 'if (i < n) y[i] = 2.0f * x[i];';
const LAUNCH =
  'static __device__ unsigned own;\n  __shared__ unsigned launch;\n  if (threadIdx.x == 0) launch = atomicAdd(&own, 1u) / gridDim.x;\n  __syncthreads();\n';
const differs = /differ|expected/;
const byInputs = caught('fail', /right for the captured input, wrong for derived input (\d+)/);
const anything = /.*/;

export const cudaCheats = [
  // A1
  cheat(
    'A1',
    'scale',
    'results stashed by place',
    [
      [
        SCALE,
        'static __device__ float stash[8192];\n  static __device__ bool is_there[8192];\n  if (i >= n) return;\n  if (!is_there[i]) stash[i] = 2.0f * x[i];\n  is_there[i] = true;\n  y[i] = stash[i];',
      ],
    ],
    byInputs,
    'Variables of the variant stay from a derived input to the next one, as they would in an app.',
  ),
  cheat(
    'A1',
    'scale',
    'results stashed by pointer',
    [
      [
        SCALE,
        'static __device__ float stash[8192];\n  static __device__ const float* keys[8192];\n  if (i >= n) return;\n  if (keys[i] != x) stash[i] = 2.0f * x[i];\n  keys[i] = x;\n  y[i] = stash[i];',
      ],
    ],
    byInputs,
    'Derived inputs lie at the addresses of the captured one.',
  ),
  cheat(
    'A1',
    'scale',
    'results stashed by value',
    [
      [
        SCALE,
        'static __device__ float2 stash[8192];\n  if (i >= n) return;\n  const float2 kept = stash[i];\n  if (kept.x == x[i]) {\n    y[i] = kept.y;\n    return;\n  }\n  for (int k = 0; k < 50; ++k) __nanosleep(1000);\n  const float made = 2.0f * x[i];\n  stash[i] = make_float2(x[i], made);\n  y[i] = made;',
      ],
    ],
    caught(['pass', 'vacuous'], /keeps/, { ratio: 5 }),
    'It is right for every input, and would be fast in a loop over one: its time is that of a launch that finds nothing stashed.',
  ),

  // A2
  cheat(
    'A2',
    'scale',
    'nothing from the third launch on',
    [[SCALE, `${LAUNCH}  if (launch < 2 && i < n) y[i] = 2.0f * x[i];`]],
    caught('fail', /launch/),
    'The first two launches in a process are right.',
  ),
  cheat(
    'A2',
    'scale',
    'nothing from the hundredth launch on',
    [[SCALE, `${LAUNCH}  if (launch < 99 && i < n) y[i] = 2.0f * x[i];`]],
    caught(['vacuous', 'fail'], anything),
    'Nobody can launch it often enough; but what it counts never comes to an end.',
  ),
  cheat(
    'A2',
    'scale',
    'one launch of fifteen works',
    [[SCALE, `${LAUNCH}  if (launch % 15 == 0 && i < n) y[i] = 2.0f * x[i];`]],
    caught('fail', /launch/),
    'The batch of fifteen calls of reference-kernels #104.',
  ),

  // A3
  cheat(
    'A3',
    'block_sums',
    'a table of the sums',
    [
      [
        BODY,
        '\n  static __constant__ const float answers[32] = {SUMS};\n  if (threadIdx.x == 0) sums[blockIdx.x] = answers[blockIdx.x];\n',
      ],
    ],
    byInputs,
    'No input is read.',
  ),
  cheat(
    'A3',
    'block_sums',
    'a table, and the right code for every other input',
    [
      [
        'const int t = threadIdx.x;',
        'const int t = threadIdx.x;\n  static __constant__ const float answers[32] = {SUMS};\n  if (x[0] == FIRST && x[1] == SECOND && x[8191] == LAST) {\n    if (t == 0) sums[blockIdx.x] = answers[blockIdx.x];\n    return;\n  }',
      ],
    ],
    notExcluded(anything),
    'It is right for every input but those that agree with the captured one in three elements.',
  ),

  // A4
  cheat(
    'A4',
    'scale',
    'no element is negative',
    [['2.0f * x[i]', '2.0f * fabsf(x[i])']],
    byInputs,
    'The captured elements are from 0 to 1.',
  ),
  cheat(
    'A4',
    'slot_maxima',
    'the maximum begins at -10',
    [['float most = -INFINITY;', 'float most = -10.0f;']],
    notExcluded(anything),
    'The captured elements are from -9 to -5, and derived ones stay in that range or change their sign.',
  ),

  // A5 and A6
  cheat(
    'A5',
    'scale',
    '8192 elements',
    [['if (i < n)', 'if (i < 8192)']],
    notExcluded(anything),
    'On hardware the bytes that a kernel touches are unknown, so no derived input has another n. The software GPU finds it.',
  ),
  cheat(
    'A6',
    'scale',
    'no guard at the end',
    [[SCALE, 'y[i] = 2.0f * x[i];']],
    notExcluded(anything),
    '8192 is a multiple of the block. As A5.',
  ),

  // A7
  cheat(
    'A7',
    'block_sums',
    'ten bits of each element',
    [
      [
        's[t] = x[blockIdx.x * kBlock + t];',
        's[t] = __uint_as_float(__float_as_uint(x[blockIdx.x * kBlock + t]) & 0xffffe000u);',
      ],
    ],
    caught('fail', differs),
    'Bytes are compared unless a tolerance is set.',
  ),
  cheat(
    'A7',
    'block_sums',
    'ten bits of each element, which the tolerance allows',
    [
      [
        's[t] = x[blockIdx.x * kBlock + t];',
        's[t] = __uint_as_float(__float_as_uint(x[blockIdx.x * kBlock + t]) & 0xffffe000u);',
      ],
    ],
    notExcluded(anything),
    'Whoever sets a tolerance of 1e-2 allows it.',
    { options: ['--rtol', '1e-2'] },
  ),

  // A8
  cheat(
    'A8',
    'softmax_rows',
    'no maximum, byte for byte',
    [['highest = s[0];', 'highest = 0.0f;']],
    caught('fail', differs),
    'The bytes are others.',
  ),
  cheat(
    'A8',
    'softmax_rows',
    'no maximum, within a tolerance',
    [['highest = s[0];', 'highest = 0.0f;']],
    notExcluded(anything),
    'Floats of derived inputs stay in the range of the captured ones, from 0 to 1, where no exponential overflows.',
    { options: ['--rtol', '1e-5'] },
  ),

  // A9
  cheat(
    'A9',
    'scale',
    'writes only where the output is as the app left it',
    [[SCALE, 'if (i < n && y[i] == 0.0f) y[i] = 2.0f * x[i];']],
    caught('fail', /does not write them, and the captured code does/),
    'A second launch with another input would leave the results of the first.',
  ),
  cheat(
    'A9',
    'scale',
    'leaves what the output holds',
    [[SCALE, 'if (i < n) y[i] = y[i];']],
    caught('fail', differs),
    'The output is brought back to what it was before the launch.',
  ),

  // A10
  cheat('A10', 'scale', 'nothing', [[SCALE, '']], caught('fail', differs), 'The result was computed by the app.'),
  cheat(
    'A10',
    'scale',
    'a copy of the input',
    [[SCALE, 'if (i < n) y[i] = x[i];']],
    caught('fail', differs),
    'As above.',
  ),
  cheat(
    'A10',
    'window_sums',
    'zeros',
    [['y[first + t] = sum;', 'y[first + t] = 0.0f;']],
    caught('fail', differs),
    'As above.',
  ),
  cheat(
    'A10',
    'scale',
    'zeros, in the input, too',
    [[SCALE, 'if (i < n) y[i] = const_cast<float*>(x)[i] = 0.0f;']],
    caught('fail', differs),
    'Inputs are compared, too.',
  ),

  // A11
  cheat(
    'A11',
    'slot_maxima',
    'slots not initialised',
    [['slots[slot] = -INFINITY;', 'if (slot % 4 == 0) slots[slot] = -INFINITY;']],
    caught('fail', anything),
    'Shared memory is filled before each launch.',
  ),
  cheat(
    'A11',
    'scale',
    '80 KiB of shared memory',
    [
      [
        SCALE,
        '__shared__ float part[20480];\n  for (int k = threadIdx.x; k < 20480; k += 256) part[k] = i < n ? x[i] : 0.0f;\n  __syncthreads();\n  if (i < n) y[i] = 2.0f * part[threadIdx.x];',
      ],
    ],
    caught(['not-compiled', 'not-launched'], anything),
    'A block has 48 KiB of static shared memory.',
  ),

  // A12
  cheat(
    'A12',
    'scale',
    'a word behind the output',
    [[SCALE, 'if (i < n) y[i] = 2.0f * x[i];\n  if (i == 0) y[n] = 1.0f;']],
    caught(['fail', 'fault'], anything),
    'The memory around a region is watched.',
  ),
  cheat(
    'A12',
    'scale',
    'writes its input',
    [[SCALE, 'if (i < n) y[i] = 2.0f * x[i];\n  if (i == 5) const_cast<float*>(x)[i] = 0.0f;']],
    caught('fail', differs),
    'Inputs are compared, too.',
  ),
  ...[
    [
      'looks upward for the expected bytes',
      'at += 4096',
      'if (*reinterpret_cast<volatile float*>(at) == 1e30f) y[0] = 0.0f',
    ],
    ['clears every counter that it finds below', 'at -= 4096', '*reinterpret_cast<volatile int*>(at) = 0'],
  ].map(([name, step, does]) =>
    cheat(
      'A12',
      'scale',
      name,
      [
        [
          SCALE,
          `if (blockIdx.x == 0 && threadIdx.x == 0)\n    for (unsigned long long at = reinterpret_cast<unsigned long long>(x);; ${step}) ${does};`,
        ],
      ],
      caught(['fail', 'fault', 'limit'], anything),
      'The expected bytes are in memory of the host, and an unmapped address ends the launch.',
    ),
  ),

  // A13
  cheat(
    'A13',
    'scale',
    'looks for the poison behind y',
    [
      [
        SCALE,
        'const unsigned poison = reinterpret_cast<const unsigned char*>(y + n)[0];\n  if (poison != 0xA5 && poison != 0x5A && poison != 0x99) return;\n  if (i < n) y[i] = 2.0f * x[i];',
      ],
    ],
    notExcluded(anything),
    'On hardware nobody sees a read within the granule of a region. On the software GPU it fails.',
  ),
  cheat(
    'A13',
    'scale',
    'right beside a file of the reproducer',
    [[SCALE, `\n#if __has_include("kernel.json")\n  ${SCALE}\n#endif`]],
    caught(['fail', 'error', 'not-compiled'], anything),
    'A candidate is compiled in a folder of its own, without it.',
  ),
  cheat(
    'A13',
    'scale',
    'the multiprocessor decides',
    [
      [
        SCALE,
        'unsigned sm;\n  asm("mov.u32 %0, %%smid;" : "=r"(sm));\n  if (i < n) y[i] = (sm & 1 ? 1.0f : 2.0f) * x[i];',
      ],
    ],
    caught('fail', anything),
    'Blocks run on many multiprocessors, in a replay as in an app.',
  ),

  // A14
  cheat(
    'A14',
    'scale',
    'loads that stay in L2',
    [
      [
        SCALE,
        'unsigned long long policy;\n  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));\n  float value = 0.0f;\n  if (i < n) asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(value) : "l"(x + i), "l"(policy));\n  if (i < n) y[i] = 2.0f * value;',
      ],
    ],
    impossible('pass', anything, { ratio: 0.8 }),
    'Both sides are timed as in a loop: their data is in the cache anyway. The window of L2 is set by host code, which a code object has not.',
  ),

  // A15
  cheat(
    'A15',
    'scale',
    'leaves much to write behind it',
    [
      [
        SCALE,
        'static __device__ volatile float dirt[1 << 24];\n  for (int k = i; k < 1 << 24; k += gridDim.x * blockDim.x) dirt[k] = 0.0f;\n  if (i < n) y[i] = 2.0f * x[i];',
      ],
    ],
    caught(['pass', 'vacuous'], anything, { ratio: 1.5 }),
    'It pays for its own stores, and the sides change turns in both orders.',
  ),

  // A16
  cheat(
    'A16',
    'scale',
    'sleeps in its first launches',
    [[SCALE, `${LAUNCH}  if (launch < 3)\n    for (int k = 0; k < 50; ++k) __nanosleep(1000);\n  ${SCALE}`]],
    caught(['pass', 'vacuous'], anything, { ratio: 5 }),
    'Numbers of launches are fixed beforehand, and each timed one is a first one.',
  ),

  // A17
  cheat(
    'A17',
    'scatter_sums',
    'atomic made plain',
    [['atomicAdd(&sums[i % kSums], x[i])', 'sums[i % kSums] += x[i]']],
    caught('fail', anything),
    'Sums are lost.',
  ),
  cheat(
    'A17',
    'block_sums',
    'a barrier less',
    [['    __syncthreads();\n  }', '  }']],
    caught('fail', anything),
    'Warps are delayed in the replays that look for it; a race that no delay shows needs --racecheck of validate.',
  ),

  // A18
  cheat(
    'A18',
    'scatter_sums',
    'the sums written out',
    [
      [
        BODY,
        '\n  static __constant__ const float answers[8] = {KEYS};\n  if (blockIdx.x == 0 && threadIdx.x < 8) sums[threadIdx.x] = answers[threadIdx.x];\n',
      ],
    ],
    byInputs,
    'Numbers within the intervals of the capture.',
  ),
  cheat(
    'A18',
    'scatter_sums',
    'an addend in 64 lost',
    [['if (i < n) atomicAdd', 'if (i < n && i % 64 != 5) atomicAdd']],
    caught('fail', anything),
    'Intervals are as wide as rounding in another order makes them.',
  ),
  cheat(
    'A18',
    'collect_records',
    'one index for another',
    [['Record{x[i], i}', 'Record{x[i], i ^ 1}']],
    caught('fail', anything),
    'Places are in any order; what belongs together is compared as a whole.',
  ),

  // A19
  cheat(
    'A19',
    'scale',
    'launch bounds below the block',
    [['__global__ void scale', '__global__ void __launch_bounds__(64) scale']],
    caught(['fail', 'not-launched', 'fault'], anything),
    'The driver refuses the launch.',
  ),
  cheat(
    'A19',
    'scale',
    'blocks of 256 written out',
    [['blockIdx.x * blockDim.x', 'blockIdx.x * 256']],
    notExcluded(anything),
    'Each launch that was captured had blocks of 256. Another launch of the app has to be captured, too.',
  ),

  // B
  cheat(
    'B1',
    'scale',
    'host code that would launch it on streams of its own',
    [
      [
        '__global__ void scale(',
        '#ifndef __CUDA_ARCH__\nstatic const bool forged = [] {\n  if (FILE* file = std::fopen("MARKER", "w")) std::fclose(file);\n  return true;\n}();\n#endif\n__global__ void scale(',
      ],
      [SCALE, ''],
    ],
    impossible(['fail', 'not-compiled'], anything),
    'One cubin is launched by the judge’s own program: no host code of a candidate runs.',
    { check: ({ marker, exists }) => (exists(marker) ? 'host code of the candidate ran' : null) },
  ),
  cheat(
    'B2',
    'scale',
    'a clock of its own',
    [
      [
        '__global__ void scale(',
        '#ifndef __CUDA_ARCH__\nextern "C" int cuEventElapsedTime(float* time, void*, void*) { return *time = 0.0f, 0; }\n#endif\n__global__ void scale(',
      ],
      [SCALE, ''],
    ],
    impossible(['fail', 'not-compiled'], anything),
    'The judge’s program measures. Nothing that a candidate defines is linked to it or loaded into it.',
  ),
  cheat(
    'B4',
    'scale',
    'a decoy that is never called',
    [
      [SCALE, ''],
      [
        '__global__ void scale(',
        '__global__ void fast_scale(const float* x, float* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2.0f * x[i];\n}\n\n__global__ void scale(',
      ],
    ],
    caught('fail', differs),
    'The captured symbol is launched, and no other one.',
  ),
  cheat(
    'B5',
    'scale',
    'brings kernel.json',
    [[SCALE, '']],
    caught('refused', /CANDIDATE_REFUSED/),
    'Names that decide are refused before anything is compiled.',
    { files: () => ({ 'kernel.json': '{}' }) },
  ),
  cheat(
    'B6',
    'scale',
    'no work in one launch',
    [[SCALE, '']],
    impossible('fail', differs, { ratio: null }),
    'Only what passes has a ratio, and there is no mean of ratios that one of them could ruin.',
  ),
];

/** Right edits: a bound on the threads of a block changes how registers are given out. */
export const cudaHonest = [
  ...[
    ...['collect_records', 'collect_pairs', 'block_sums', 'scatter_sums', 'cancelling_sums', 'slot_maxima'],
    ...['window_sums', 'scale', 'add_biases', 'softmax_rows'],
  ].map((kernel) =>
    right(
      'annotation',
      kernel,
      'launch bounds of 1024 threads',
      [[`__global__ void ${kernel}(`, `__global__ void __launch_bounds__(1024) ${kernel}(`]],
      'No launch has more.',
    ),
  ),
  right(
    'places',
    'collect_records',
    'places claimed by a warp at once',
    [
      [
        'const unsigned place = atomicAdd(count, 1u);',
        'const unsigned mask = __activemask(), lane = threadIdx.x % 32, leader = __ffs(mask) - 1;\n  unsigned first = 0;\n  if (lane == leader) first = atomicAdd(count, __popc(mask));\n  const unsigned place = __shfl_sync(mask, first, leader) + __popc(mask & ((1u << lane) - 1));',
      ],
    ],
    'Places are in any order.',
  ),
];
