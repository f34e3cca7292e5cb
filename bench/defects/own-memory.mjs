// Correct edits whose kernels keep something in memory from launch to launch: counters that the last block puts back, queues, random states.
import { BODY, right, small } from './edit.mjs';

/** The last block of a launch, by a counter that is put back. `before`: what a block publishes; `after`: what the last one does. */
const lastBlock = (published, then) => `${published}
  __threadfence();
  static __device__ unsigned arrived;
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
${then}`;

export const withOwnMemory = small([
  right(
    'last-block counter',
    'last_block_sum',
    'the ticket wraps',
    [
      ['atomicAdd(ticket, 1u) == gridDim.x - 1', 'atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1'],
      ['\n    *ticket = 0;', ''],
    ],
    'atomicInc puts it back to 0 behind the last block.',
  ),
  right(
    'last-block counter',
    'last_block_sum',
    'a wrapping ticket of its own',
    [
      ['const int t = threadIdx.x;', 'static __device__ unsigned own;\n  const int t = threadIdx.x;'],
      ['atomicAdd(ticket, 1u) == gridDim.x - 1', 'atomicInc(&own, gridDim.x - 1) == gridDim.x - 1'],
    ],
    'atomicInc puts it back to 0 behind the last block; the ticket of the app is 0 before and after.',
  ),
  right(
    'last-block counter',
    'last_block_sum',
    'partial sums by atomic stores',
    [
      [
        'partials[blockIdx.x] = shared[0];\n    __threadfence();\n    last = atomicAdd(ticket, 1u) == gridDim.x - 1;',
        '__hip_atomic_store(&partials[blockIdx.x], shared[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);\n    last = __hip_atomic_fetch_add(ticket, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) == gridDim.x - 1;',
      ],
    ],
    'The ticket releases what is stored before it, and acquires what others have stored.',
  ),
  right(
    'last-block counter',
    'extremes',
    'the last block combines',
    [
      [
        'if (threadIdx.x == 0) {\n    atomicMin(lowest, low);\n    atomicMax(highest, high);\n  }',
        lastBlock(
          '  static __device__ int lows[32], highs[32];\n  if (threadIdx.x == 0) {\n    lows[blockIdx.x] = low;\n    highs[blockIdx.x] = high;\n  }',
          '  if (threadIdx.x == 0) {\n    for (unsigned block = 0; block < gridDim.x; ++block) {\n      low = min(low, __hip_atomic_load(&lows[block], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));\n      high = max(high, __hip_atomic_load(&highs[block], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));\n    }\n    *lowest = min(*lowest, low);\n    *highest = max(*highest, high);\n  }',
        ),
      ],
    ],
    'There are twenty blocks, each writes its place anew in every launch before it arrives; the counter wraps to 0.',
  ),
  right(
    'last-block counter',
    'histogram',
    'the last block adds',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        lastBlock(
          '  static __device__ unsigned tables[8][64];\n  if (threadIdx.x < 64) atomicExch(&tables[blockIdx.x][threadIdx.x], local[threadIdx.x]);',
          '  if (threadIdx.x >= 64) return;\n  unsigned all = 0;\n  for (unsigned block = 0; block < gridDim.x; ++block) all += atomicExch(&tables[block][threadIdx.x], 0u);\n  bins[threadIdx.x] += all;',
        ),
      ],
    ],
    'There are five blocks; tables and counter are 0 again behind the last one.',
  ),
  right(
    'last-block counter',
    'sum_by_key',
    'sums of its own',
    [
      [
        BODY,
        lastBlock(
          '\n  static __device__ float own[7];\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(&own[keys[i]], x[i]);',
          '  if (threadIdx.x < 7) sums[threadIdx.x] += atomicExch(&own[threadIdx.x], 0.0f);\n',
        ),
      ],
    ],
    'There are seven keys; own sums are 0 again behind the last block, and what the app had there is added last, within a relative tolerance of 1e-5.',
    ['--rtol', '1e-5'],
  ),
  right(
    'last-block counter',
    'scan_chained',
    'a wrapping ticket of its own',
    [
      [
        'if (t == 0) block = atomicAdd(ticket, 1);',
        'static __device__ unsigned own;\n  if (t == 0) {\n    block = atomicInc(&own, gridDim.x - 1);\n    atomicAdd(ticket, 1);\n  }',
      ],
    ],
    'A ticket is taken by each block once, and the app finds its own as before.',
  ),
  right(
    'last-block counter',
    'argmax_rows',
    'a generation that only grows',
    [
      [
        'const int* row = x + blockIdx.x * columns;',
        'static __device__ unsigned launches;\n  if (t == 0) atomicAdd(&launches, 1u);\n  const int* row = x + blockIdx.x * columns;',
      ],
    ],
    'Nobody reads it; but it is new after each launch, and a launch that would stop by it is not among eight.',
    [],
    'vacuous',
  ),

  right(
    'work queue',
    'drain_queue',
    'claimed by a shuffle',
    [
      [
        'if (t == 0) item = atomicAdd(head, 1);\n    __syncthreads();\n    const int mine = item;',
        'const int mine = __shfl(t == 0 ? atomicAdd(head, 1) : 0, 0);',
      ],
      ['__shared__ int item;', ''],
    ],
    'A block is one wave.',
  ),
  right(
    'work queue',
    'drain_queue',
    'the next item is claimed ahead',
    [
      [
        BODY,
        `
  const int t = threadIdx.x;
  int mine = __shfl(t == 0 ? atomicAdd(head, 1) : 0, 0);
  while (mine < items) {
    __syncthreads();
    const int next = t == 0 ? atomicAdd(head, 1) : 0;
    int sum = 0;
    for (int k = starts[mine] + t; k < starts[mine + 1]; k += 64) sum += x[k];
    for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
    if (t == 0) sums[mine] = sum;
    mine = __shfl(next, 0);
  }
`,
      ],
    ],
    'Each block claims until it finds none, as before.',
  ),
  right(
    'work queue',
    'drain_queue',
    'from the other end',
    [['const int mine = item;', 'const int mine = item < items ? items - 1 - item : item;']],
    'Each item is still taken once.',
  ),
  right(
    'work queue',
    'drain_queue',
    'without the queue',
    [
      [
        BODY,
        `
  const int t = threadIdx.x;
  int claimed = 1;
  for (int mine = blockIdx.x; mine < items; mine += gridDim.x, ++claimed) {
    int sum = 0;
    for (int k = starts[mine] + t; k < starts[mine + 1]; k += 64) sum += x[k];
    for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    if (t == 0) sums[mine] = sum;
  }
  if (t == 0) atomicAdd(head, claimed);
`,
      ],
    ],
    'The head ends where it did: one for each item and each block.',
  ),
  right(
    'work queue',
    'matvec',
    'rows from a queue of its own',
    [
      [
        BODY,
        `
  static __device__ unsigned next, finished;
  const int lane = threadIdx.x % 64;
  for (;;) {
    __builtin_amdgcn_wave_barrier();
    const int row = __shfl(lane == 0 ? static_cast<int>(atomicAdd(&next, 1u)) : 0, 0);
    if (row >= rows) break;
    float sum = 0.0f;
    for (int k = lane; k < columns; k += 64) sum = fmaf(a[row * columns + k], x[k], sum);
    for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
    if (lane == 0) y[row] = sum;
  }
  if (lane == 0 && atomicInc(&finished, gridDim.x * 4 - 1) == gridDim.x * 4 - 1) atomicExch(&next, 0u);
`,
      ],
    ],
    'A wave that finds no row is done with the queue, and the last of them puts it back.',
  ),
  right(
    'work queue',
    'compact_pairs',
    'blocks of elements from a queue of its own',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;',
        'static __device__ unsigned next;\n  __shared__ unsigned part;\n  if (threadIdx.x == 0) part = atomicInc(&next, gridDim.x - 1);\n  __syncthreads();\n  const int i = part * blockDim.x + threadIdx.x;',
      ],
    ],
    'Each part is taken by one block; the queue wraps to 0.',
  ),
  right(
    'work queue',
    'compact_records',
    'collected in LDS',
    [
      [
        BODY,
        `
  __shared__ int queue[256];
  __shared__ int found, base;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > threshold) queue[atomicAdd(&found, 1)] = i;
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(count, found);
  __syncthreads();
  for (int k = threadIdx.x; k < found; k += blockDim.x) {
    const int from = queue[k];
    out[base + k] = Record{from, x[from], from % 7 * 1000 + 3};
  }
`,
      ],
    ],
    'The same records in other places, each once; a block has 256 threads.',
  ),

  right(
    'random state',
    'random_walk',
    'unrolled',
    [['for (int k', '#pragma unroll 4\n  for (int k']],
    'The same steps.',
  ),
  right(
    'random state',
    'random_walk',
    'without a branch',
    [['state & 1 ? 1 : -1', 'static_cast<int>(state & 1) * 2 - 1']],
    'One or minus one.',
  ),
  right(
    'random state',
    'random_walk',
    'counted, and added once',
    [
      ['int position = positions[i];', 'int ones = 0;'],
      ['position += state & 1 ? 1 : -1;', 'ones += state & 1;'],
      ['positions[i] = position;', 'positions[i] += 2 * ones - steps;'],
    ],
    'So many steps forward, the others backward.',
  ),
  right(
    'random state',
    'random_walk',
    'the state stays in memory',
    [
      ['unsigned state = states[i];', 'volatile unsigned& state = states[i];'],
      ['state ^= state << 13;', 'state = state ^ state << 13;'],
      ['state ^= state >> 17;', 'state = state ^ state >> 17;'],
      ['state ^= state << 5;', 'state = state ^ state << 5;'],
      ['  states[i] = state;\n', ''],
    ],
    'Each thread has its own place.',
  ),
  right(
    'random state',
    'spmv',
    'a random state of its own that is never used',
    [
      [
        'float sum = 0.0f;',
        'static __device__ unsigned states[4096];\n  const int thread = blockIdx.x * blockDim.x + threadIdx.x;\n  if (thread < 4096) states[thread] = states[thread] * 1664525u + 1013904223u;\n  float sum = 0.0f;',
      ],
    ],
    'The result does not depend on it; but it is new after each launch, and nobody knows what a later launch would make of it.',
    [],
    'vacuous',
  ),
  right(
    'random state',
    'wave_sum',
    'seeded anew in each launch',
    [
      [
        'float sum = i < n ? x[i] : 0.0f;',
        'static __device__ unsigned states[4096];\n  states[i] = i * 2654435761u + 1u;\n  states[i] ^= states[i] << 13;\n  states[i] ^= states[i] >> 17;\n  float sum = i < n ? x[i] : (states[i] == 0u ? 1.0f : 0.0f);',
      ],
    ],
    'Thirteen blocks have 3328 threads; xorshift makes 0 of nothing but 0, which no thread begins with.',
  ),
]);
