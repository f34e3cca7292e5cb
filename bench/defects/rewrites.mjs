// Correct edits that rewrite what a kernel does: other loads, loops, partitions, tables, sums within a tolerance.
import { BODY, right, small } from './edit.mjs';

const SAXPY = 'if (i < n) y[i] = fmaf(a, x[i], y[i]);';

export const rewrites = small([
  // Loads, loops and annotations.
  right(
    'vector width',
    'saxpy',
    'four elements a thread, with a tail',
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
  } else {
    for (int i = first; i < n; ++i) y[i] = fmaf(a, x[i], y[i]);
  }
`,
      ],
    ],
    'Memory of the app is aligned to 16 bytes; three quarters of the threads have nothing to do.',
  ),
  right(
    'grid-stride loop',
    'saxpy',
    'one block strides over the rest',
    [
      [
        BODY,
        `
  if (blockIdx.x >= 3) return;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 3 * blockDim.x) y[i] = fmaf(a, x[i], y[i]);
`,
      ],
    ],
    'Three blocks take all elements.',
  ),
  right(
    'LDS staging',
    'saxpy',
    'through LDS',
    [
      [
        SAXPY,
        '__shared__ float part[256];\n  part[threadIdx.x] = i < n ? x[i] : 0.0f;\n  __syncthreads();\n  if (i < n) y[i] = fmaf(a, part[threadIdx.x], y[i]);',
      ],
    ],
    'A block has 256 threads.',
  ),
  right(
    'annotation',
    'saxpy',
    'nontemporal',
    [
      [
        SAXPY,
        'if (i < n) __builtin_nontemporal_store(fmaf(a, __builtin_nontemporal_load(x + i), __builtin_nontemporal_load(y + i)), y + i);',
      ],
    ],
    'Only what caches keep is another.',
  ),
  right(
    'annotation',
    'move_particles',
    'launch bounds, const, an early exit',
    [
      ['__global__ void', '__global__ void __launch_bounds__(128, 4)'],
      [
        'Particles p, float step, float size, int n',
        'const Particles p, const float step, const float size, const int n',
      ],
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;',
        'if (blockIdx.x * blockDim.x >= n) return;\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;',
      ],
    ],
    'The launch has 128 threads.',
  ),
  right(
    'branch-free',
    'move_particles',
    'selects',
    [
      [
        'if (x < 0.0f || x > size) {\n    x = x < 0.0f ? -x : 2.0f * size - x;\n    p.vx[i] = -p.vx[i];\n    ++hits;\n  }',
        'const bool out_x = x < 0.0f || x > size;\n  x = x < 0.0f ? -x : x > size ? 2.0f * size - x : x;\n  p.vx[i] = out_x ? -p.vx[i] : p.vx[i];\n  hits += out_x;',
      ],
    ],
    'What stays is written again.',
  ),
  right(
    'contraction',
    'complex_multiply',
    'the other product in the multiply-add',
    [['fmaf(u.x, v.x, -(u.y * v.y))', 'fmaf(-u.y, v.y, u.x * v.x)']],
    'Products of numbers below one half: within 1e-7.',
    ['--atol', '1e-7', '--dtype', 'f32'],
  ),
  right(
    'contraction',
    'complex_multiply',
    'no multiply-add',
    [
      ['const float2 u = a[i];', '#pragma clang fp contract(off)\n    const float2 u = a[i];'],
      ['fmaf(u.x, v.x, -(u.y * v.y))', 'u.x * v.x - u.y * v.y'],
      ['fmaf(u.x, v.y, u.y * v.x)', 'u.x * v.y + u.y * v.x'],
    ],
    'Products of numbers below one half: within 1e-7.',
    ['--atol', '1e-7', '--dtype', 'f32'],
  ),
  right(
    'atomics',
    'quantize',
    'maximum by an integer atomic',
    [
      [
        'largest[t] = fabsf(value);\n  __syncthreads();\n  for (int half = 128; half > 0; half /= 2) {\n    if (t < half) largest[t] = fmaxf(largest[t], largest[t + half]);\n    __syncthreads();\n  }\n  const float scale = largest[0] *',
        '__shared__ unsigned most;\n  if (t == 0) most = 0;\n  __syncthreads();\n  atomicMax(&most, __float_as_uint(fabsf(value)));\n  __syncthreads();\n  const float scale = __uint_as_float(most) *',
      ],
      ['__shared__ float largest[256];', ''],
    ],
    'Numbers that are not negative are in the order of their bits.',
  ),
  right(
    'branch-free',
    'gather_scatter',
    'nothing goes to LDS',
    [
      [
        'if (source >= 0) out[target] = in[source];',
        '__shared__ float nowhere[256];\n    float* at = source >= 0 ? out + target : nowhere + threadIdx.x;\n    *at = in[max(source, 0)];',
      ],
    ],
    'A thread without a source writes to its own place in LDS.',
  ),
  right(
    'table',
    'pack_rgba',
    'shifts from a table in constant memory',
    [
      [
        'packed[i] = r | g << 8 | b << 16 | a << 24;',
        'static __constant__ const unsigned weights[4] = {1u, 1u << 8, 1u << 16, 1u << 24};\n  packed[i] = r * weights[0] + g * weights[1] + b * weights[2] + a * weights[3];',
      ],
    ],
    'Bytes that do not overlap are added as they are combined.',
  ),

  // Stencils.
  right(
    'branch-free',
    'stencil2d',
    'clamped loads',
    [
      [
        'tile[k / 18][k % 18] = inside ? in[cy * width + cx] : 0.0f;',
        'const float value = in[min(max(cy, 0), height - 1) * width + min(max(cx, 0), width - 1)];\n    tile[k / 18][k % 18] = inside ? value : 0.0f;',
      ],
    ],
    'What is loaded beside the border is thrown away.',
  ),
  right(
    'LDS staging',
    'box_filter',
    'a tile with a halo',
    [
      [
        BODY,
        `
  __shared__ int tile[64 * 16 + 8];
  const int base = blockIdx.x * 64 * 16;
  for (int k = threadIdx.x; k < 64 * 16 + 8; k += 64) {
    const int at = base + k - 4;
    tile[k] = at >= 0 && at < n ? in[at] : 0;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 64 * 16 && base + k < n; k += 64) {
    int sum = 0;
#pragma unroll
    for (int d = 0; d < 9; ++d) sum += tile[k + d];
    out[base + k] = sum;
  }
`,
      ],
    ],
    'A block has 64 threads of 16 places; integer sums have no order.',
  ),
  right(
    'table',
    'convolve',
    'offsets from a table in constant memory',
    [
      [
        'const int i = first + k - 3;',
        'static __constant__ const int offsets[10] = {-3, -2, -1, 0, 1, 2, 3, 4, 5, 6};\n    const int i = first + offsets[k];',
      ],
    ],
    'The same places.',
  ),
  right(
    're-associated sum',
    'convolve',
    'from the last tap',
    [['for (int k = 0; k < 7; ++k) sum', 'for (int k = 6; k >= 0; --k) sum']],
    'Seven products below a quarter: within 1e-6.',
    ['--atol', '1e-6'],
  ),
  right(
    'loop order',
    'transpose',
    'rows from below',
    [
      [
        'for (int k = threadIdx.y; k < 32; k += 8) {\n    const int row',
        'for (int k = threadIdx.y + 24; k >= 0; k -= 8) {\n    const int row',
      ],
    ],
    'The same rows.',
  ),

  // Sums.
  right(
    're-associated sum',
    'tree_sum',
    'two sums a thread',
    [
      [
        'for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += x[i];',
        'float odd = 0.0f;\n  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 512) {\n    sum += x[i];\n    if (i + gridDim.x * 256 < n) odd += x[i + gridDim.x * 256];\n  }\n  sum += odd;',
      ],
    ],
    'Some 770 numbers below one half: within 1e-4.',
    ['--atol', '1e-4'],
  ),
  right(
    'double accumulator',
    'tree_sum',
    'sums of doubles',
    [
      ['__shared__ float partial[256];', '__shared__ double partial[256];'],
      ['float sum = 0.0f;', 'double sum = 0.0;'],
      ['= partial[0];', '= static_cast<float>(partial[0]);'],
    ],
    'Nearer to the exact sum than before: within 1e-4.',
    ['--atol', '1e-4'],
  ),
  right(
    're-associated sum',
    'wave_sum',
    'from the nearest lanes',
    [
      [
        'for (int step = 32; step > 0; step /= 2) sum += __shfl_down',
        'for (int step = 1; step < 64; step *= 2) sum += __shfl_down',
      ],
    ],
    'Sixty-four numbers below one half: within 1e-5.',
    ['--atol', '1e-5'],
  ),
  right(
    'shuffles',
    'wave_sum',
    'by ds_bpermute',
    [
      [
        'sum += __shfl_down(sum, step);',
        'sum += __int_as_float(__builtin_amdgcn_ds_bpermute((t % 64 + step) * 4, __float_as_int(sum)));',
      ],
    ],
    'Lane 0 adds the same pairs in the same order.',
  ),
  right(
    'places',
    'sum_by_key',
    'one atomic a wave and key',
    [
      [
        BODY,
        `
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int mine = i < n ? keys[i] : -1;
  const float value = i < n ? x[i] : 0.0f;
  for (int key = 0; key < 7; ++key) {
    float sum = mine == key ? value : 0.0f;
    for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    if (threadIdx.x % 64 == 0) atomicAdd(&sums[key], sum);
  }
`,
      ],
    ],
    'There are seven keys; the sums are in another order, which a relative tolerance of 1e-5 allows.',
    ['--rtol', '1e-5'],
  ),
  right(
    'atomics',
    'extremes',
    'only what gains',
    [
      [
        'atomicMin(lowest, low);\n    atomicMax(highest, high);',
        'if (low < __hip_atomic_load(lowest, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) atomicMin(lowest, low);\n    if (high > __hip_atomic_load(highest, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) atomicMax(highest, high);',
      ],
    ],
    'What is not less than an older minimum is not less than the last one.',
  ),
  right(
    'branch-free',
    'argmax_rows',
    'selects',
    [
      [
        'if (row[i] > best) {\n      best = row[i];\n      at = i;\n    }',
        'const int value_here = row[i];\n    const bool is_more = value_here > best;\n    best = is_more ? value_here : best;\n    at = is_more ? i : at;',
      ],
    ],
    'The same comparisons.',
  ),

  // Rows.
  right(
    'online algorithm',
    'softmax_rows',
    'maximum and sum in one pass',
    [
      [
        BODY,
        `
  __shared__ float highs[2], totals[2];
  const float* in = x + blockIdx.x * columns;
  float* out = y + blockIdx.x * columns;
  const int t = threadIdx.x;
  float high = -3.402823466e38f, total = 0.0f;
  for (int i = t; i < columns; i += 128) {
    const float now = fmaxf(high, in[i]);
    total = total * expf(high - now) + expf(in[i] - now);
    high = now;
  }
  for (int step = 32; step > 0; step /= 2) {
    const float other_high = __shfl_xor(high, step), other_total = __shfl_xor(total, step);
    const float now = fmaxf(high, other_high);
    total = total * expf(high - now) + other_total * expf(other_high - now);
    high = now;
  }
  if (t % 64 == 0) {
    highs[t / 64] = high;
    totals[t / 64] = total;
  }
  __syncthreads();
  high = fmaxf(highs[0], highs[1]);
  total = totals[0] * expf(highs[0] - high) + totals[1] * expf(highs[1] - high);
  for (int i = t; i < columns; i += 128) out[i] = expf(in[i] - high) / total;
`,
      ],
    ],
    'The same quotients, rounded otherwise: within a relative tolerance of 1e-5.',
    ['--rtol', '1e-5'],
  ),
  right(
    'strength reduction',
    'softmax_rows',
    'a product for the quotient',
    [
      [
        'sum = shared[0];\n  for (int i = t; i < columns; i += 128) out[i] = expf(in[i] - highest) / sum;',
        'const float share = 1.0f / shared[0];\n  for (int i = t; i < columns; i += 128) out[i] = expf(in[i] - highest) * share;',
      ],
    ],
    'Two roundings for one: within a relative tolerance of 1e-6.',
    ['--rtol', '1e-6'],
  ),
  right(
    'double accumulator',
    'layer_norm',
    'moments of doubles',
    [
      ['float sum = 0.0f, squares = 0.0f;', 'double sum = 0.0, squares = 0.0;'],
      ['__shared__ float first[2];', '__shared__ double first[2];'],
      ['__shared__ float second[2];', '__shared__ double second[2];'],
      ['squares = fmaf(value, value, squares);', 'squares += static_cast<double>(value) * value;'],
      ['const float mean = (', 'const double mean = ('],
      [
        'const float variance = fmaf(-mean, mean, (second[0] + second[1]) / columns);',
        'const float variance = static_cast<float>((second[0] + second[1]) / columns - mean * mean);',
      ],
      ['(in[i] - mean) * scale', '(in[i] - static_cast<float>(mean)) * scale'],
    ],
    'Nearer to the exact moments than before: within 1e-5.',
    ['--rtol', '1e-5', '--atol', '1e-5'],
  ),
  right(
    'other algorithm',
    'layer_norm',
    'variance in a second pass',
    [
      [
        BODY,
        `
  __shared__ float halves[2];
  const int t = threadIdx.x;
  const float* in = x + blockIdx.x * columns;
  float sum = 0.0f;
  for (int i = t; i < columns; i += 128) sum += in[i];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  if (t % 64 == 0) halves[t / 64] = sum;
  __syncthreads();
  const float mean = (halves[0] + halves[1]) / columns;
  __syncthreads();
  float squares = 0.0f;
  for (int i = t; i < columns; i += 128) squares = fmaf(in[i] - mean, in[i] - mean, squares);
  for (int step = 32; step > 0; step /= 2) squares += __shfl_xor(squares, step);
  if (t % 64 == 0) halves[t / 64] = squares;
  __syncthreads();
  const float scale = rsqrtf((halves[0] + halves[1]) / columns + 1e-5f);
  for (int i = t; i < columns; i += 128) {
    y[blockIdx.x * columns + i] = fmaf((in[i] - mean) * scale, gain[i], bias[i]);
  }
`,
      ],
    ],
    'The same variance, with less cancellation: within 1e-5.',
    ['--rtol', '1e-5', '--atol', '1e-5'],
  ),
  right(
    're-associated sum',
    'spmv',
    'two sums a lane',
    [
      [
        'for (int k = starts[row] + lane; k < end; k += 16) sum = fmaf(values[k], x[columns[k]], sum);',
        'float other = 0.0f;\n    for (int k = starts[row] + lane; k < end; k += 32) {\n      sum = fmaf(values[k], x[columns[k]], sum);\n      if (k + 16 < end) other = fmaf(values[k + 16], x[columns[k + 16]], other);\n    }\n    sum += other;',
      ],
    ],
    'At most forty products below a quarter: within 1e-6.',
    ['--atol', '1e-6'],
  ),
  right(
    'contraction',
    'matmul',
    'products rounded by themselves',
    [
      [
        'for (int k = 0; k < 16; ++k) sum = fmaf(tile_a[now][ty][k], tile_b[now][k][tx], sum);',
        'for (int k = 0; k < 16; ++k) {\n#pragma clang fp contract(off)\n      sum = sum + tile_a[now][ty][k] * tile_b[now][k][tx];\n    }',
      ],
    ],
    'Seventy products below a quarter: within 1e-5.',
    ['--atol', '1e-5'],
  ),
  right(
    'double accumulator',
    'matvec',
    'sums of doubles',
    [
      ['float sum = 0.0f;', 'double sum = 0.0;'],
      ['sum = fmaf(a[row * columns + k], x[k], sum);', 'sum += static_cast<double>(a[row * columns + k]) * x[k];'],
    ],
    'Nearer to the exact product than before: within 1e-5.',
    ['--atol', '1e-5'],
  ),

  // Scans and compaction.
  right(
    'shuffles for LDS',
    'scan_segments',
    'within waves by shuffles',
    [
      [
        BODY,
        `
  __shared__ int last_sum, last_flag;
  const int t = threadIdx.x;
  const int i = blockIdx.x * 128 + t;
  int sum = i < n ? x[i] : 0;
  int flag = i < n ? heads[i] : 1;
  for (int step = 1; step < 64; step *= 2) {
    const int other = __shfl_up(sum, step), other_flag = __shfl_up(flag, step);
    if (t % 64 >= step && !flag) {
      sum += other;
      flag = other_flag;
    }
  }
  if (t == 63) {
    last_sum = sum;
    last_flag = flag;
  }
  __syncthreads();
  if (t >= 64 && !flag) sum += last_sum;
  if (i < n) y[i] = sum;
`,
      ],
    ],
    'A block is two waves: what no head ends goes on from the first one.',
  ),
  right(
    'unrolling',
    'scan_doubling',
    'two steps a round',
    [['for (int step = 1;', '#pragma unroll\n  for (int step = 1;']],
    'The same steps.',
  ),
  right(
    'table',
    'compact_records',
    'tags from a table in constant memory',
    [
      [
        'out[place].tag = i % 7 * 1000 + 3;',
        'static __constant__ const int tags[7] = {3, 1003, 2003, 3003, 4003, 5003, 6003};\n    out[place].tag = tags[i % 7];',
      ],
    ],
    'The same seven tags.',
  ),
  right(
    'shuffles',
    'ballot_bits',
    'bits combined by shuffles',
    [
      [
        'const unsigned long long word = __ballot(set);',
        'unsigned long long word = set ? 1ull << (threadIdx.x % 64) : 0;\n  for (int step = 32; step > 0; step /= 2) word |= __shfl_xor(word, step);',
      ],
    ],
    'Each lane has one bit of the word.',
  ),
]);
