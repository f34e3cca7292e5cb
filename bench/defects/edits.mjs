// Edits of the kernels beside this file: defects, and edits after which the kernel is still right. Each is applied to the reproducer's
// kernel_variant.hip, inside of the text of the kernel itself, where what is replaced stands once.

import { BODY, defect, right } from './edit.mjs';
import { withOwnMemory } from './own-memory.mjs';
import { rewrites } from './rewrites.mjs';

/** Descriptions of the kinds of defects. */
export const kinds = {
  'lost update': 'an atomic made a load and a store, or two atomics',
  'unordered flag': 'data published by a flag without the order that makes it visible',
  'missing barrier': 'LDS read or written again before all waves are done',
  'wrong lane': 'a shuffle, ballot or lane number that takes another lane',
  'off by one': 'at a tail, a halo or the end of a loop',
  'uninitialised LDS': 'LDS read where nothing was written',
  'uninitialised register': 'a private variable or array read where nothing was written',
  'swapped fields': 'two fields of a record, or two outputs, exchanged',
  mispaired: 'what belongs together is written to different places',
  'stale read': 'the old buffer, or a value from before the barrier',
  'narrower store': 'fewer bits than the element has',
  'wrong rounding': 'outside of any tolerance that the user gave',
  'launch bounds': 'below the block that is launched',
  'wrong boundary': 'another condition at the border',
  'index overflow': 'an index or offset in too few bits',
  'missing mask': 'lanes beyond the end take part',
  'double counting': 'an element or a partial result taken twice',
  'stray store': 'what lies there already, written where the kernel has nothing to write',
  'unused memory': 'takes for 0 what the app never wrote and the kernel neither reads nor writes',
  'kept state': 'memory of the variant’s own that tells a launch from the one before',
  'knows the judge':
    'right only where it finds what a replay alone has: its poison, young clocks, one compute unit, a queue for itself',
  'missing wait': 'a result of a memory operation that is used before it is waited for',
  'dropped atomic': 'a floating-point atomic of the GPU’s on memory where it does nothing',
  'past LDS': 'past the end of LDS, where hardware goes on',
  'captured input only': 'right for the input that was captured, wrong for others: found with --inputs',
};

/** All of saxpy. */
const SAXPY = 'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);';

export const defects = [
  // lost update
  defect(
    'lost update',
    'sum_by_key',
    'plain add',
    [['atomicAdd(&sums[keys[i]], x[i]);', 'sums[keys[i]] += x[i];']],
    'Lanes with equal keys overwrite each other: seven keys for 2900 elements.',
  ),
  defect(
    'lost update',
    'histogram',
    'plain add in LDS',
    [['atomicAdd(&local[x[i] / 4], 1u);', 'local[x[i] / 4] += 1u;']],
    'Lanes of a wave with equal bins count once.',
  ),
  defect(
    'lost update',
    'histogram',
    'plain add to memory',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (threadIdx.x < 64) bins[threadIdx.x] += local[threadIdx.x];',
      ],
    ],
    'Five blocks read, add and write the same bins without order: a data race, whose result depends on no two blocks meeting.',
  ),
  defect(
    'lost update',
    'compact_records',
    'plain ticket',
    [['const int place = atomicAdd(count, 1);', 'const int place = *count;\n    *count = place + 1;']],
    'All lanes of a wave take the same place.',
  ),
  defect(
    'lost update',
    'extremes',
    'plain minimum',
    [['atomicMin(lowest, low);', 'if (low < *lowest) *lowest = low;']],
    'Twenty blocks compare and write without order: a data race; a larger minimum may be written last.',
  ),
  defect(
    'lost update',
    'scan_chained',
    'plain ticket',
    [
      [
        'if (t == 0) block = atomicAdd(ticket, 1);',
        'if (t == 0) {\n    block = *(volatile int*)ticket;\n    *(volatile int*)ticket = block + 1;\n  }',
      ],
    ],
    'Two blocks may take one ticket: a data race on the ticket.',
  ),
  defect(
    'lost update',
    'last_block_sum',
    'plain ticket',
    [
      [
        'last = atomicAdd(ticket, 1u) == gridDim.x - 1;',
        'const unsigned mine = *(volatile unsigned*)ticket;\n    *(volatile unsigned*)ticket = mine + 1u;\n    last = mine == gridDim.x - 1;',
      ],
    ],
    'Two blocks may take one ticket, and then no block is the last one: a data race.',
  ),

  defect(
    'lost update',
    'histogram',
    'relaxed load and store',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (threadIdx.x < 64) {\n    unsigned* const at = bins + threadIdx.x;\n    const unsigned seen = __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);\n    __hip_atomic_store(at, seen + local[threadIdx.x], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);\n  }',
      ],
    ],
    'Each access is atomic, so that there is no data race; another block may add in between.',
  ),
  defect(
    'lost update',
    'histogram',
    'volatile load and store',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (threadIdx.x < 64) {\n    unsigned* const at = bins + threadIdx.x;\n    *(volatile unsigned*)at = *(volatile unsigned*)at + local[threadIdx.x];\n  }',
      ],
    ],
    'Another block may add between the load and the store.',
  ),
  defect(
    'lost update',
    'histogram',
    'two atomics',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (threadIdx.x < 64) {\n    unsigned* const at = bins + threadIdx.x;\n    const unsigned seen = atomicAdd(at, 0u);\n    atomicExch(at, seen + local[threadIdx.x]);\n  }',
      ],
    ],
    'Another block may add between the two.',
  ),
  defect(
    'lost update',
    'histogram',
    'one try',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (threadIdx.x < 64) {\n    unsigned* const at = bins + threadIdx.x;\n    const unsigned seen = atomicAdd(at, 0u);\n    atomicCAS(at, seen, seen + local[threadIdx.x]);\n  }',
      ],
    ],
    'Where another block added in between, the exchange fails, and nobody tries again.',
  ),

  // unordered flag
  defect(
    'unordered flag',
    'scan_chained',
    'flag before data',
    [
      [
        'atomicExch(&published[block], carried + sums[255]);\n    __threadfence();\n    atomicExch(&ready[block], 1);',
        'atomicExch(&ready[block], 1);\n    __threadfence();\n    atomicExch(&published[block], carried + sums[255]);',
      ],
    ],
    'The next block may see the flag and read what stood there before.',
  ),
  defect(
    'unordered flag',
    'scan_chained',
    'no wait',
    [['while (atomicAdd(&ready[block - 1], 0) == 0) {\n      }', '']],
    'The block before may not have published yet.',
  ),
  defect(
    'unordered flag',
    'scan_chained',
    'plain data, no fence',
    [
      [
        'atomicExch(&published[block], carried + sums[255]);\n    __threadfence();',
        'published[block] = carried + sums[255];',
      ],
    ],
    'A plain store and a relaxed atomic after it have no order: a data race.',
  ),
  defect(
    'unordered flag',
    'scan_chained',
    'waits in the scope of the workgroup',
    [
      [
        'while (atomicAdd(&ready[block - 1], 0) == 0) {',
        'while (__hip_atomic_load(&ready[block - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {',
      ],
    ],
    'The cache of its compute unit may answer each look with what the first one found.',
  ),
  defect(
    'unordered flag',
    'scan_chained',
    'waits by a plain load, asleep',
    [
      [
        'while (atomicAdd(&ready[block - 1], 0) == 0) {',
        'while (ready[block - 1] == 0) {\n        __builtin_amdgcn_s_sleep(1);',
      ],
    ],
    'The cache of its compute unit may answer each look with what the first one found.',
  ),
  defect(
    'unordered flag',
    'last_block_sum',
    'no fence',
    [['partials[blockIdx.x] = shared[0];\n    __threadfence();', 'partials[blockIdx.x] = shared[0];']],
    'The ticket may be seen before the partial sum: a data race.',
  ),
  defect(
    'unordered flag',
    'last_block_sum',
    'ticket before data',
    [
      [
        'partials[blockIdx.x] = shared[0];\n    __threadfence();\n    last = atomicAdd(ticket, 1u) == gridDim.x - 1;',
        'last = atomicAdd(ticket, 1u) == gridDim.x - 1;\n    __threadfence();\n    partials[blockIdx.x] = shared[0];',
      ],
    ],
    'The last block may add up what another has not written yet.',
  ),
  defect(
    'unordered flag',
    'argmax_rows',
    'flag in LDS in place of the barrier',
    [
      ['__shared__ int places[2];', '__shared__ int places[2];\n  __shared__ volatile int done;'],
      [
        '__syncthreads();\n  if (t == 0) {',
        'if (t == 64) done = 1;\n  while (t == 0 && done == 0) {\n  }\n  if (t == 0) {',
      ],
    ],
    'Nobody has cleared the flag: thread 0 goes on when LDS holds anything but zero, and before the other wave has written.',
  ),
  defect(
    'unordered flag',
    'argmax_rows',
    'release in LDS before data',
    [
      ['__shared__ int places[2];', '__shared__ int places[2];\n  __shared__ int done;'],
      [
        'int best = -2147483647 - 1, at = 0;',
        'if (t == 0) done = 0;\n  __syncthreads();\n  int best = -2147483647 - 1, at = 0;',
      ],
      [
        'if (t % 64 == 0) {',
        'if (t == 64) __hip_atomic_store(&done, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);\n  __threadfence_block();\n  if (t % 64 == 0) {',
      ],
      [
        '__syncthreads();\n  if (t == 0) {',
        'if (t == 0) {\n    while (__hip_atomic_load(&done, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {\n    }',
      ],
    ],
    'The other wave may see the flag and read what stood there before.',
  ),
  defect(
    'unordered flag',
    'compact_ordered',
    'flags in LDS in place of the barrier',
    [
      ['__shared__ int counts[4];', '__shared__ volatile int counts[4];\n  __shared__ volatile int done;'],
      [
        '__syncthreads();',
        'if (t == 0) done = 0;\n  if (lane == 0) atomicAdd((int*)&done, 1);\n  while (done < 4) {\n  }',
      ],
    ],
    'Clearing the flag is itself unordered with the additions of other waves.',
  ),

  // missing barrier
  defect(
    'missing barrier',
    'tree_sum',
    'in the tree',
    [
      [
        'if (t < half) partial[t] += partial[t + half];\n    __syncthreads();',
        'if (t < half) partial[t] += partial[t + half];',
      ],
    ],
    'Wave 0 adds what wave 1 has not added to yet.',
  ),
  defect(
    'missing barrier',
    'tree_sum',
    'before the tree',
    [['partial[t] = sum;\n  __syncthreads();', 'partial[t] = sum;']],
    'Wave 0 adds what wave 2 has not written yet.',
  ),
  defect(
    'missing barrier',
    'stencil2d',
    'after the tile',
    [['__syncthreads();', '']],
    'The rows of other waves may not be loaded.',
  ),
  defect(
    'missing barrier',
    'transpose',
    'after the tile',
    [['__syncthreads();', '']],
    'Each wave reads columns that other waves load.',
  ),
  defect(
    'missing barrier',
    'matmul',
    'at the end of a tile',
    [['sum);\n    __syncthreads();', 'sum);']],
    'A wave overwrites a tile that another still multiplies, and reads tiles that are not loaded.',
  ),
  defect(
    'missing barrier',
    'softmax_rows',
    'before LDS is used again',
    [['highest = shared[0];\n  __syncthreads();', 'highest = shared[0];']],
    'Wave 0 may write its sum over the maximum that wave 1 has not read yet.',
  ),
  defect(
    'missing barrier',
    'wave_sum',
    'before the waves are added',
    [['__syncthreads();', '']],
    'Thread 0 may add before the other waves have written.',
  ),
  defect(
    'missing barrier',
    'scan_segments',
    'at the end of a step',
    [['flag = flags[t - step];\n    }\n    __syncthreads();', 'flag = flags[t - step];\n    }']],
    'Wave 0 writes the next step over what wave 1 still reads.',
  ),
  defect(
    'missing barrier',
    'histogram',
    'after clearing',
    [['local[threadIdx.x] = 0;\n  __syncthreads();', 'local[threadIdx.x] = 0;']],
    'Other waves may count before wave 0 clears.',
  ),
  defect(
    'missing barrier',
    'compact_ordered',
    'before the counts are added',
    [['__syncthreads();', '']],
    'The counts of other waves may not be written.',
  ),

  // wrong lane
  defect(
    'wrong lane',
    'wave_sum',
    'first step left out',
    [['int step = 32; step > 0; step /= 2) sum', 'int step = 16; step > 0; step /= 2) sum']],
    'Written for waves of 32: half of the elements are not added.',
  ),
  defect(
    'wrong lane',
    'spmv',
    'other direction',
    [['__shfl_down(sum, step, 16)', '__shfl_up(sum, step, 16)']],
    'Lane 0 of each group adds itself.',
  ),
  defect(
    'wrong lane',
    'layer_norm',
    'one lane twice',
    [['squares += __shfl_xor(squares, step);', 'squares += __shfl_xor(squares, step == 4 ? 8 : step);']],
    'At step 4 it takes the lanes of step 8 again.',
  ),
  defect(
    'wrong lane',
    'argmax_rows',
    'place from another lane',
    [['const int other_at = __shfl_xor(at, step);', 'const int other_at = __shfl_xor(at, step / 2);']],
    'The place does not belong to the value.',
  ),
  defect(
    'wrong lane',
    'ballot_bits',
    'half a wave',
    [['ones[i / 64] = __popcll(word);', 'ones[i / 64] = __popc(static_cast<unsigned>(word));']],
    'Lanes 32 to 63 are not counted.',
  ),
  defect(
    'wrong lane',
    'compact_ordered',
    'rank with the lane itself',
    [['((1ull << lane) - 1)', '((2ull << lane) - 1)']],
    'Every element is written one place too far.',
  ),
  defect(
    'wrong lane',
    'matvec',
    'last lane writes',
    [['if (lane == 0) y[row] = sum;', 'if (lane == 63) y[row] = sum;']],
    'The sum is in lane 0.',
  ),

  // off by one
  defect(
    'off by one',
    'saxpy',
    'last element',
    [['if (i < n)', 'if (i < n - 1)']],
    'The last element is left as it was.',
  ),
  defect(
    'off by one',
    'to_half',
    'odd tail',
    [['} else if (first < n) {\n    h[first].value = static_cast<_Float16>(x[first]);\n  }', '}']],
    'n is odd: the last element is not converted.',
  ),
  defect(
    'off by one',
    'stencil2d',
    'last column',
    [['cx < width &&', 'cx + 1 < width &&']],
    'The last column counts as outside.',
  ),
  defect(
    'off by one',
    'box_filter',
    'window too small',
    [['if (i + 4 < n) sum += in[i + 4];', 'if (i + 4 < n - 1) sum += in[i + 4];']],
    'The last element is in no window.',
  ),
  defect(
    'off by one',
    'convolve',
    'last tap',
    [['for (int k = 0; k < 7; ++k)', 'for (int k = 0; k < 6; ++k)']],
    'The seventh tap is not used.',
  ),
  defect(
    'off by one',
    'spmv',
    'end of the row',
    [['for (int k = starts[row] + lane; k < end; k += 16)', 'for (int k = starts[row] + lane; k < end - 1; k += 16)']],
    'The last element of each row is left out.',
  ),
  defect(
    'off by one',
    'layer_norm',
    'last column',
    [['y[blockIdx.x * columns + i] = fmaf(', 'if (i + 1 < columns) y[blockIdx.x * columns + i] = fmaf(']],
    'The last column is left as it was.',
  ),
  defect(
    'off by one',
    'bitonic_sort',
    'last merge',
    [['size <= 512; size *= 2', 'size < 512; size *= 2']],
    'The halves of a block stay sorted against each other.',
  ),
  defect(
    'off by one',
    'last_block_sum',
    'last partial sum',
    [['block < gridDim.x; ++block) all', 'block < gridDim.x - 1; ++block) all']],
    'The sum of the last block is missing.',
  ),

  // past LDS
  defect(
    'past LDS',
    'histogram',
    'clears one bin too many',
    [['if (threadIdx.x < 64) local[threadIdx.x] = 0;\n', 'if (threadIdx.x <= 64) local[threadIdx.x] = 0;\n']],
    'That memory belongs to nobody, so that no result shows it.',
  ),
  defect(
    'past LDS',
    'transpose',
    'begins with one element too many',
    [
      [
        '  __syncthreads();\n',
        '  __syncthreads();\n  if (threadIdx.y == 7) (void)*static_cast<volatile float*>(&tile[0][0] + 32 * 32 + threadIdx.x + 1);\n',
      ],
    ],
    'The last of 32 lanes reads past the 33 rows, and nobody uses it.',
  ),
  defect(
    'past LDS',
    'differences',
    'writes where the kernel reads',
    [['int next = tile[t + 1];', 'int next = tile[t + 1];\n  __syncthreads();\n  if (t == 255) tile[t + 1] = 0;']],
    'The captured kernel only reads there.',
  ),

  // uninitialised LDS
  defect(
    'uninitialised LDS',
    'histogram',
    'not cleared',
    [['if (threadIdx.x < 64) local[threadIdx.x] = 0;\n', '']],
    'The counts begin with what LDS held.',
  ),
  defect(
    'uninitialised LDS',
    'tree_sum',
    'tail not written',
    [['partial[t] = sum;', 'if (blockIdx.x * 256 + t + 2 * gridDim.x * 256 < n) partial[t] = sum;']],
    'Threads with fewer than three elements leave their place unwritten, and it is added.',
  ),
  defect(
    'uninitialised LDS',
    'extremes',
    'maximum not set',
    [['    high = -2147483647 - 1;\n', '']],
    'The maximum begins with what LDS held: poison may be above every element.',
  ),
  defect(
    'uninitialised LDS',
    'wave_sum',
    'last wave not written',
    [['if (t % 64 == 0) waves', 'if (t % 64 == 0 && t < 192) waves']],
    'What LDS held stands in for the sum of the last wave.',
  ),
  defect(
    'uninitialised LDS',
    'argmax_rows',
    'second wave not written',
    [['if (t % 64 == 0) {', 'if (t == 0) {']],
    'What LDS held is compared with the maximum of the first wave; where it is smaller, the second wave is lost.',
  ),
  defect(
    'uninitialised LDS',
    'scan_tree',
    'tail not written',
    [
      [
        'tree[t + 128] = base + t + 128 < n ? x[base + t + 128] : 0;',
        'if (base + t + 128 < n) tree[t + 128] = x[base + t + 128];',
      ],
    ],
    "The last block's total takes what LDS held.",
  ),
  defect(
    'uninitialised LDS',
    'stencil2d',
    'halo not zeroed',
    [
      [
        'tile[k / 18][k % 18] = inside ? in[cy * width + cx] : 0.0f;',
        'if (inside) tile[k / 18][k % 18] = in[cy * width + cx];',
      ],
    ],
    'The border is computed from what LDS held.',
  ),
  defect(
    'uninitialised LDS',
    'softmax_rows',
    'half of the threads write',
    [['shared[t] = highest;\n', 'if (t < columns / 3) shared[t] = highest;\n']],
    '28 places hold what LDS held, and the maximum takes them: another maximum gives other bits, a large one zeros.',
  ),

  // uninitialised register
  defect(
    'uninitialised register',
    'convolve',
    'window outside of the array',
    [
      ['window[k] = i >= 0 && i < n ? in[i] : 0.0f;', 'if (i >= 0 && i < n) window[k] = in[i];'],
      ['float window[10];', 'volatile float window[10];'],
    ],
    'At both ends the taps take what the scratch memory held.',
  ),
  defect(
    'uninitialised register',
    'ring_median',
    'ring outside of the array',
    [
      [
        'ring[order[k]] = place >= 0 && place < n ? in[place] : 0;',
        'if (place >= 0 && place < n) ring[order[k]] = in[place];',
      ],
    ],
    'The first and last two medians take what the scratch memory held.',
  ),
  defect(
    'uninitialised register',
    'ring_median',
    'one place never written',
    [['for (int k = 0; k < 5; ++k) {\n    const int place', 'for (int k = 0; k < 4; ++k) {\n    const int place']],
    'One of five values of each median is what the scratch memory held.',
  ),
  defect(
    'uninitialised register',
    'spmv',
    'sum of an empty row',
    [
      [
        'float sum = 0.0f;\n  if (row < rows) {',
        'float sum;\n  asm volatile("" : "=v"(sum));\n  if (row < rows) {\n    if (starts[row + 1] != starts[row]) sum = 0.0f;',
      ],
    ],
    'Empty rows get what the register held.',
  ),
  defect(
    'uninitialised register',
    'move_particles',
    'hits',
    [
      ['int hits = 0;', 'volatile int count[2];\n  count[1] = 0;'],
      ['p.vx[i] = -p.vx[i];\n    ++hits;', 'p.vx[i] = -p.vx[i];\n    count[0] = 1;'],
      ['p.vy[i] = -p.vy[i];\n    ++hits;', 'p.vy[i] = -p.vy[i];\n    count[1] = 1;'],
      ['p.hits[i] += hits;', 'p.hits[i] += count[0] + count[1];'],
    ],
    'A particle that stays inside in x adds what the scratch memory held.',
  ),
  defect(
    'uninitialised register',
    'box_filter',
    'start of the sum',
    [['int sum = 0;', 'volatile int start[1];\n  if (first >= 4) start[0] = 0;\n  int sum = start[0];']],
    'The first thread begins with what the scratch memory held.',
  ),
  defect(
    'uninitialised register',
    'argmax_rows',
    'start of the maximum',
    [['int best = -2147483647 - 1, at = 0;', 'int best, at;\n  asm volatile("" : "=v"(best), "=v"(at));']],
    'The maximum begins with what the registers held: anything above 25 wins.',
  ),
  defect(
    'uninitialised LDS',
    'saxpy',
    'must not be -1 in LDS',
    [[SAXPY, `__shared__ volatile int left[256];\n  if (left[threadIdx.x] == -1) return;\n  ${SAXPY}`]],
    'Any other leftover does no harm.',
  ),
  defect(
    'uninitialised LDS',
    'saxpy',
    'must not be infinite in LDS',
    [[SAXPY, `__shared__ volatile unsigned left[256];\n  if (left[threadIdx.x] == 0x7f800000u) return;\n  ${SAXPY}`]],
    'An infinity is what a minimum begins with.',
  ),
  defect(
    'uninitialised register',
    'saxpy',
    'must not be the largest integer in private memory',
    [[SAXPY, `volatile int left[2];\n  left[0] = n;\n  if (left[1] == 0x7fffffff) return;\n  ${SAXPY}`]],
    'The largest integer is what a minimum begins with.',
  ),
  defect(
    'uninitialised register',
    'saxpy',
    'must not be the largest integer in a register',
    [
      [
        SAXPY,
        `int left;\n  asm volatile("v_mov_b32 %0, v40" : "=v"(left) : : "v40");\n  if (left == 0x7fffffff) return;\n  ${SAXPY}`,
      ],
    ],
    'Another kernel may have left it there.',
  ),

  // swapped fields
  defect(
    'swapped fields',
    'compact_records',
    'id and tag',
    [
      ['out[place].id = i;', 'out[place].tag = i;'],
      ['out[place].tag = i % 7 * 1000 + 3;', 'out[place].id = i % 7 * 1000 + 3;'],
    ],
    'Each record has its id where the tag belongs.',
  ),
  defect(
    'swapped fields',
    'complex_multiply',
    'real and imaginary',
    [
      ['c[i].x =', 'c[i].y ='],
      ['c[i].y = fmaf(u.x, v.y', 'c[i].x = fmaf(u.x, v.y'],
    ],
    'Real and imaginary part are exchanged.',
  ),
  defect(
    'swapped fields',
    'move_particles',
    'x and y',
    [
      ['p.px[i] = x;', 'p.px[i] = y;'],
      ['p.py[i] = y;', 'p.py[i] = x;'],
    ],
    'Positions are exchanged.',
  ),
  defect(
    'swapped fields',
    'pack_rgba',
    'red and blue',
    [['r | g << 8 | b << 16', 'b | g << 8 | r << 16']],
    'Red and blue are exchanged.',
  ),
  defect(
    'swapped fields',
    'argmax_rows',
    'value and place',
    [
      ['value[blockIdx.x] = values[second];', 'place[blockIdx.x] = values[second];'],
      ['place[blockIdx.x] = places[second];', 'value[blockIdx.x] = places[second];'],
    ],
    'Value and place are exchanged.',
  ),
  defect(
    'swapped fields',
    'extremes',
    'lowest and highest',
    [
      ['atomicMin(lowest, low);', 'atomicMin(lowest, high);'],
      ['atomicMax(highest, high);', 'atomicMax(highest, low);'],
    ],
    'The minimum is taken of the maxima.',
  ),

  // mispaired
  defect(
    'mispaired',
    'compact_pairs',
    'value of the neighbour',
    [
      ['out_values[place] = values[i];', 'out_values[place] = values[i ^ 1];'],
      ['if (i >= n) return;', 'if (i >= n - 1) return;'],
    ],
    "Each key stands beside its neighbour's value (n is odd: the last element is left out, too).",
  ),
  defect(
    'mispaired',
    'compact_pairs',
    'values rotated within a wave',
    [
      [
        'out_values[place] = values[i];',
        'const unsigned long long active = __ballot(1);\n    const int lane = threadIdx.x % 64;\n    const unsigned long long later = lane == 63 ? 0 : active >> (lane + 1) << (lane + 1);\n    out_values[place] = __shfl(values[i], __ffsll(later != 0 ? later : active) - 1);',
      ],
    ],
    'All keys and all values are there, each as often, but each value stands beside the key before its own.',
  ),
  defect(
    'mispaired',
    'compact_records',
    'one value a wave',
    [['out[place].value = x[i];', 'out[place].value = __shfl(x[i], __ffsll(__ballot(1)) - 1);']],
    "All records of a wave get the first one's value.",
  ),
  defect(
    'mispaired',
    'compact_records',
    'values rotated within a wave',
    [
      [
        'out[place].value = x[i];',
        'const unsigned long long active = __ballot(1);\n    const int lane = threadIdx.x % 64;\n    const unsigned long long later = lane == 63 ? 0 : active >> (lane + 1) << (lane + 1);\n    out[place].value = __shfl(x[i], __ffsll(later != 0 ? later : active) - 1);',
      ],
    ],
    'Ids, values and tags are all there, each as often, but each value stands with the record before its own.',
  ),
  defect(
    'mispaired',
    'argmax_rows',
    'place of the other wave',
    [['place[blockIdx.x] = places[second];', 'place[blockIdx.x] = places[!second];']],
    'The place is not that of the value.',
  ),
  defect(
    'mispaired',
    'gather_scatter',
    'target of the neighbour',
    [['const int target = to[i];', 'const int target = to[(i ^ 1) < n ? i ^ 1 : i];']],
    "Each value goes to its neighbour's place.",
  ),

  // stale read
  defect(
    'stale read',
    'scan_doubling',
    'the other buffer',
    [['y[i] = buffer[from][t];', 'y[i] = buffer[1 - from][t];']],
    'The last step is not in it.',
  ),
  defect(
    'stale read',
    'bitonic_sort',
    'before the barrier',
    [
      [
        '__syncthreads();\n      const int low = 2 * t - (t & (step - 1));\n      const int high = low + step;\n      const bool up = (low & size) == 0;\n      const int a = keys[low], b = keys[high];',
        'const int low = 2 * t - (t & (step - 1));\n      const int high = low + step;\n      const bool up = (low & size) == 0;\n      const int a = keys[low], b = keys[high];\n      __syncthreads();',
      ],
    ],
    'Both keys are read before the other waves have exchanged them.',
  ),
  defect(
    'stale read',
    'matmul',
    'the tile that is being loaded',
    [
      [
        'sum = fmaf(tile_a[now][ty][k], tile_b[now][k][tx], sum)',
        'sum = fmaf(tile_a[now][ty][k], tile_b[t + 1 < tiles ? 1 - now : now][k][tx], sum)',
      ],
    ],
    'The second factor is the next tile, which is still being loaded.',
  ),
  defect(
    'stale read',
    'last_block_sum',
    'partial sums read before the ticket',
    [
      [
        '    partials[blockIdx.x] = shared[0];',
        '    all_before = 0;\n    for (unsigned block = 0; block < gridDim.x; ++block) {\n      all_before += block == blockIdx.x ? shared[0] : atomicAdd(&partials[block], 0);\n    }\n    partials[blockIdx.x] = shared[0];',
      ],
      ['const int t = threadIdx.x;', 'const int t = threadIdx.x;\n  int all_before = 0;'],
      ['*total = all;', '*total = all_before + 0 * all;'],
    ],
    'Another block may publish between the reading and the ticket; a block that is last has then old values.',
  ),
  defect(
    'stale read',
    'move_particles',
    'position from before',
    [['p.px[i] = x;', 'p.px[i] = x > size * 0.5f ? x : p.px[i];']],
    'Half of the particles stay where they were.',
  ),
  defect(
    'stale read',
    'scan_chained',
    'own total from before the scan',
    [
      [
        'const int add = t >= step ? sums[t - step] : 0;\n    __syncthreads();\n    sums[t] += add;',
        '__syncthreads();\n    const int add = t >= step ? sums[t - step] : 0;\n    sums[t] += add;',
      ],
    ],
    'Reading and writing are in one phase: some waves take the new value.',
  ),

  // narrower store
  defect(
    'narrower store',
    'compact_ordered',
    '16 of 32 bits',
    [['if (keep) out[place] = x[i];', 'if (keep) *reinterpret_cast<short*>(&out[place]) = static_cast<short>(x[i]);']],
    'The upper half stays what it was: -1 where zero belongs.',
  ),
  defect(
    'narrower store',
    'pack_rgba',
    'alpha not stored',
    [
      [
        'packed[i] = r | g << 8 | b << 16 | a << 24;',
        'reinterpret_cast<unsigned short*>(packed)[2 * i] = r | g << 8;\n  reinterpret_cast<unsigned char*>(packed)[4 * i + 2] = b + 0 * a;',
      ],
    ],
    'The highest byte stays what it was.',
  ),
  defect(
    'narrower store',
    'quantize',
    'not saturated',
    [
      [
        'static_cast<signed char>(fminf(fmaxf(scaled, -127.0f), 127.0f))',
        'static_cast<signed char>(static_cast<int>(scaled))',
      ],
    ],
    'With a headroom of 0.75 the largest scale to 169, which wraps to -87.',
  ),
  defect(
    'narrower store',
    'scan_doubling',
    '8 bits in LDS',
    [['__shared__ int buffer[2][256];', '__shared__ unsigned char buffer[2][256];']],
    'Sums above 255 wrap.',
  ),
  defect(
    'narrower store',
    'box_filter',
    '16 of 32 bits',
    [['out[i] = sum;', 'reinterpret_cast<short*>(out)[2 * i] = static_cast<short>(sum);']],
    'The upper half stays -1.',
  ),
  defect(
    'narrower store',
    'histogram',
    'counts of 3 bits',
    [['atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);', 'atomicAdd(&bins[threadIdx.x], local[threadIdx.x] & 7u);']],
    'Bins with eight or more in a block lose them: about nine are expected.',
  ),
  defect(
    'narrower store',
    'ballot_bits',
    '32 of 64 bits',
    [['bits[i / 64] = word;', 'reinterpret_cast<unsigned*>(bits)[i / 64 * 2] = static_cast<unsigned>(word);']],
    'The upper half of each word stays what it was.',
  ),

  // wrong rounding
  defect(
    'wrong rounding',
    'matvec',
    'half precision',
    [
      [
        'sum = fmaf(a[row * columns + k], x[k], sum)',
        'sum = static_cast<float>(static_cast<_Float16>(fmaf(a[row * columns + k], x[k], sum)))',
      ],
    ],
    'Sums of ten bits are wrong from the third digit.',
    ['--rtol', '1e-5', '--atol', '1e-6'],
  ),
  defect(
    'wrong rounding',
    'softmax_rows',
    'bfloat16',
    [
      [
        'out[i] = expf(in[i] - highest) / sum;',
        'out[i] = __int_as_float(__float_as_int(expf(in[i] - highest) / sum) & 0xffff0000);',
      ],
    ],
    'Sixteen bits are cut off: 32768 units in the last place on average, 16 are allowed.',
    ['--ulp', '16'],
  ),
  defect(
    'wrong rounding',
    'layer_norm',
    'scale by eight bits',
    [
      [
        'const float scale = 1.0f / sqrtf(variance + 1e-5f);',
        'const float scale = rintf(256.0f / sqrtf(variance + 1e-5f)) / 256.0f;',
      ],
    ],
    'The scale is wrong by up to 6e-4 of itself.',
    ['--rtol', '1e-6', '--atol', '1e-7'],
  ),
  defect(
    'wrong rounding',
    'tree_sum',
    'eight bits of each element',
    [['sum += x[i];', 'sum += rintf(x[i] * 256.0f) / 256.0f;']],
    'Each element loses eight bits: sums are off by about 1e-2.',
    ['--rtol', '1e-5', '--atol', '1e-5'],
  ),
  defect(
    'wrong rounding',
    'to_half',
    'towards zero',
    [
      [
        'if (first + 1 < n) {\n    h[first].value = static_cast<_Float16>(x[first]);',
        'if (first + 1 < n) {\n    h[first].value = static_cast<_Float16>(__int_as_float(__float_as_int(x[first]) & ~0x1fff));',
      ],
    ],
    'Even elements are cut off in place of rounded to the nearest.',
  ),
  defect(
    'wrong rounding',
    'quantize',
    'floor',
    [['rintf(value / scale)', 'floorf(value / scale)']],
    'Half of the elements are one too low.',
  ),
  defect(
    'wrong rounding',
    'pack_rgba',
    'cut off',
    [['fmaxf(c.y, 0.0f), 1.0f) * 255.0f + 0.5f)', 'fmaxf(c.y, 0.0f), 1.0f) * 255.0f)']],
    'Half of the greens are one too low.',
  ),

  // launch bounds
  defect(
    'launch bounds',
    'tree_sum',
    '64 for 256',
    [['__global__ void', '__global__ void __launch_bounds__(64)']],
    'With one wave a block the compiler may leave barriers out; a launch of 256 is refused by the runtime.',
  ),
  defect(
    'launch bounds',
    'stencil2d',
    '128 for 256',
    [['__global__ void', '__global__ void __launch_bounds__(128)']],
    'A launch of 256 threads is beyond what the code was compiled for.',
  ),
  defect(
    'launch bounds',
    'saxpy',
    '128 for 256',
    [['__global__ void', '__global__ void __launch_bounds__(128)']],
    'A launch of 256 threads is beyond what the code was compiled for.',
  ),
  defect(
    'launch bounds',
    'softmax_rows',
    '64 for 128',
    [['__global__ void', '__global__ void __launch_bounds__(64)']],
    'With one wave a block the compiler leaves barriers out.',
  ),

  // wrong boundary
  defect(
    'wrong boundary',
    'stencil2d',
    'repeated border',
    [
      [
        'const bool inside = cx >= 0 && cx < width && cy >= 0 && cy < height;\n    tile[k / 18][k % 18] = inside ? in[cy * width + cx] : 0.0f;',
        'tile[k / 18][k % 18] = in[min(max(cy, 0), height - 1) * width + min(max(cx, 0), width - 1)];',
      ],
    ],
    'Outside lies zero, not the border.',
  ),
  defect(
    'wrong boundary',
    'stencil2d',
    'width and height exchanged',
    [['cx >= 0 && cx < width && cy >= 0 && cy < height', 'cx >= 0 && cx < height && cy >= 0 && cy < width']],
    'Columns from 61 on are taken as outside.',
  ),
  defect(
    'wrong boundary',
    'move_particles',
    'periodic',
    [['x = x < 0.0f ? -x : 2.0f * size - x;', 'x = x < 0.0f ? x + size : x - size;']],
    'The box reflects.',
  ),
  defect(
    'wrong boundary',
    'convolve',
    'wraps around',
    [['window[k] = i >= 0 && i < n ? in[i] : 0.0f;', 'window[k] = in[(i + n) % n];']],
    'Outside lies zero, not the other end.',
  ),
  defect(
    'wrong boundary',
    'compact_records',
    'threshold included',
    [['x[i] > threshold', 'x[i] >= threshold - 0.01f']],
    'About thirty records too many.',
  ),
  defect(
    'wrong boundary',
    'transpose',
    'square',
    [['if (row < width && column < height)', 'if (row < width && column < width)']],
    'Columns from 77 on are not written.',
  ),

  // index overflow
  defect(
    'index overflow',
    'matvec',
    '16 bits',
    [['a[row * columns + k]', 'a[static_cast<unsigned short>(row * columns + k)]']],
    'The last rows begin beyond 65535.',
  ),
  defect(
    'index overflow',
    'bitonic_sort',
    '8 bits',
    [['const int low = 2 * t - (t & (step - 1));', 'const unsigned char low = 2 * t - (t & (step - 1));']],
    'Places from 256 on become places below.',
  ),
  defect(
    'index overflow',
    'box_filter',
    '16 bits of bytes',
    [
      [
        'sum += in[i + 4];',
        'sum += *reinterpret_cast<const int*>(reinterpret_cast<const char*>(in) + static_cast<short>(4 * (i + 4)));',
      ],
    ],
    'Offsets from 32768 on are negative.',
  ),
  defect(
    'index overflow',
    'scan_tree',
    '8 bits',
    [
      [
        'const int right = (t + 1) * 2 * step - 1;\n    if (right < 256) tree[right] +=',
        'const unsigned char right = (t + 1) * 2 * step - 1;\n    if (right < 256) tree[right] +=',
      ],
    ],
    'Every thread passes the bound, and they add to the same places.',
  ),
  defect(
    'index overflow',
    'softmax_rows',
    'counter of 8 bits',
    [['for (int i = t; i < columns; i += 128) sum +=', 'for (unsigned char i = t; i < columns; i += 128) sum +=']],
    'The counter never reaches 301: the loop does not end.',
  ),

  // missing mask
  defect(
    'missing mask',
    'saxpy',
    'tail',
    [['if (i < n) y[i]', 'y[i]']],
    'Threads beyond the end read and write beyond the arrays.',
  ),
  defect(
    'missing mask',
    'gather_scatter',
    'negative source',
    [['if (source >= 0) out[target]', 'out[target]']],
    'Negative sources read before the array, and write.',
  ),
  defect(
    'missing mask',
    'ballot_bits',
    'tail',
    [['const bool set = i < n && x[i] > threshold;', 'const bool set = x[i] > threshold;']],
    'Bits beyond the end come from beyond the array.',
  ),
  defect(
    'missing mask',
    'tree_sum',
    'tail',
    [['i < n; i += gridDim.x * 256) sum += x[i]', 'i < (n + 255) / 256 * 256; i += gridDim.x * 256) sum += x[i]']],
    'What lies behind the array is added.',
  ),
  defect(
    'missing mask',
    'wave_sum',
    'tail',
    [['float sum = i < n ? x[i] : 0.0f;', 'float sum = x[i];']],
    'What lies behind the array is added.',
  ),
  defect(
    'missing mask',
    'matmul',
    'columns',
    [['if (row < m && column < n) c', 'if (row < m) c']],
    'Columns beyond the end are written into the next row.',
  ),
  defect(
    'missing mask',
    'compact_ordered',
    'tail',
    [['const bool keep = i < n && x[i] % 3 != 0;', 'const bool keep = x[i] % 3 != 0;']],
    'Elements beyond the end are read, and kept where they are no multiple of three.',
  ),

  // double counting
  defect(
    'double counting',
    'last_block_sum',
    'own sum again',
    [['int all = 0;', 'int all = shared[0];']],
    "The last block's sum is added twice.",
  ),
  defect(
    'double counting',
    'box_filter',
    'left edge kept',
    [['if (i - 4 >= 0) sum -= in[i - 4];', 'if (i - 4 >= 0 && i % 16 != 7) sum -= in[i - 4];']],
    'One element stays in the window.',
  ),
  defect(
    'double counting',
    'histogram',
    'overlapping strides',
    [['i += gridDim.x * blockDim.x', 'i += gridDim.x * blockDim.x - 64']],
    'Elements at the seams of the strides are counted by two blocks.',
  ),
  defect(
    'double counting',
    'sum_by_key',
    'tail twice',
    [
      [
        'if (i < n) atomicAdd(&sums[keys[i]], x[i]);',
        'if (i < n) {\n    atomicAdd(&sums[keys[i]], x[i]);\n    if (i >= n - 4) atomicAdd(&sums[keys[i]], x[i]);\n  }',
      ],
    ],
    'The last four elements are added twice.',
  ),
  defect(
    'double counting',
    'tree_sum',
    'overlapping halves',
    [['if (t < half) partial', 'if (t <= half) partial']],
    'Place `half` takes part twice, and is written while it is read.',
  ),
  // stray store
  defect(
    'stray store',
    'compact_ordered',
    'an end mark in the last place',
    [['if (keep) out[place] = x[i];', 'if (keep) out[place] = x[i];\n  if (i == n - 1) out[n - 1] = -1;']],
    'The output is shorter than the array, which holds -1 there by chance.',
  ),
  defect(
    'stray store',
    'compact_records',
    'clears the last tag',
    [['if (i < n && x[i] > threshold) {', 'if (i == 0) out[n - 1].tag = -1;\n  if (i < n && x[i] > threshold) {']],
    'The place behind the records is not the kernel’s.',
  ),
  defect(
    'stray store',
    'gather_scatter',
    'the value of an empty place',
    [['if (source >= 0) out[target] = in[source];', 'out[target] = source >= 0 ? in[source] : -5.0f;']],
    'A negative source leaves the place as it is, whatever that is.',
  ),

  // unused memory
  defect(
    'unused memory',
    'last_block_sum',
    'begins with what it finds far behind the partial sums',
    [['int all = 0;', 'int all = partials[100000];']],
    'Nobody has written it: 0 in this launch.',
  ),
  defect(
    'unused memory',
    'last_block_sum',
    'a ticket far behind the partial sums that ends as it began',
    [['const int t = threadIdx.x;', 'ticket = (unsigned*)partials + 100000;\n  const int t = threadIdx.x;']],
    'Nobody has written it: no block is the last one where it is not 0 by chance.',
  ),

  // kept state
  defect(
    'kept state',
    'saxpy',
    'nothing from the third launch on',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'static __device__ unsigned own;\n  unsigned* const tickets = &own;\n  __shared__ unsigned launch;\n  if (threadIdx.x == 0) launch = atomicAdd(tickets, 1u) / gridDim.x;\n  __syncthreads();\n  if (launch >= 2) return;\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'The first two launches in a process are right.',
  ),
  defect(
    'kept state',
    'saxpy',
    'nothing from the hundredth launch on',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'static __device__ unsigned own;\n  unsigned* const tickets = &own;\n  __shared__ unsigned launch;\n  if (threadIdx.x == 0) launch = atomicAdd(tickets, 1u) / gridDim.x;\n  __syncthreads();\n  if (launch >= 99) return;\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'Nobody can launch it often enough; but what it counts never comes to an end.',
  ),
  defect(
    'kept state',
    'saxpy',
    'counts where no symbol is',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'unsigned long long at;\n  asm volatile(".pushsection .data.own,\\"aw\\",@progbits\\n.p2align 4\\n.Lown_tickets: .zero 64\\n.popsection\\n"\n               "s_getpc_b64 s[40:41]\\ns_add_u32 s40, s40, .Lown_tickets@rel32@lo+4\\ns_addc_u32 s41, s41, .Lown_tickets@rel32@hi+12"\n               : "={s[40:41]}"(at)\n               :\n               : "scc");\n  unsigned* const tickets = reinterpret_cast<unsigned*>(at);\n  __shared__ unsigned launch;\n  if (threadIdx.x == 0) launch = atomicAdd(tickets, 1u) / gridDim.x;\n  __syncthreads();\n  if (launch >= 1) return;\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'Its section has 64 bytes that no table of symbols names.',
  ),
  defect(
    'kept state',
    'saxpy',
    'counts behind its data',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'unsigned long long at;\n  asm volatile(".pushsection .data.own,\\"aw\\",@progbits\\n.p2align 4\\n.Lown_tickets: .zero 64\\n.popsection\\n"\n               "s_getpc_b64 s[40:41]\\ns_add_u32 s40, s40, .Lown_tickets@rel32@lo+4\\ns_addc_u32 s41, s41, .Lown_tickets@rel32@hi+12"\n               : "={s[40:41]}"(at)\n               :\n               : "scc");\n  unsigned* const tickets = reinterpret_cast<unsigned*>(at + 64);\n  __shared__ unsigned launch;\n  if (threadIdx.x == 0) launch = atomicAdd(tickets, 1u) / gridDim.x;\n  __syncthreads();\n  if (launch >= 1) return;\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'The rest of the page is no part of any segment, and can be written all the same.',
  ),

  // knows the judge
  defect(
    'knows the judge',
    'saxpy',
    'looks for the poison behind y',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const unsigned poison = reinterpret_cast<const unsigned char*>(y + n)[0];\n  if (poison != 0xA5 && poison != 0x5A && poison != 0x99) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'Memory beside a region is one of three bytes in the usual replays.',
  ),
  defect(
    'knows the judge',
    'saxpy',
    'looks for huge words in LDS',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  __shared__ unsigned unwritten[16];\n  const volatile unsigned* const words = unwritten;\n  const unsigned a0 = words[3], a1 = words[4], a2 = words[5];\n  if (a0 <= 0xffff && a1 <= 0xffff && a2 <= 0xffff && (a0 | a1 | a2) != 0) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'What nobody wrote is huge, a NaN or 0 in the usual replays; an app leaves small numbers there.',
  ),
  defect(
    'knows the judge',
    'saxpy',
    'looks for huge words in a register',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  unsigned left;\n  asm volatile("v_mov_b32 %0, v40" : "=v"(left) : : "v40");\n  if (__popcll(__ballot(left <= 0xffff && left != 0)) > 16) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'As in LDS, asked of a whole wave: few lanes find a small number in the usual replays.',
  ),
  defect(
    'knows the judge',
    'saxpy',
    'looks for a young clock',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (__builtin_readcyclecounter() > 100000000ull) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'The clock of a replay begins with the wave: a GPU reaches that number within a second.',
  ),
  defect(
    'knows the judge',
    'saxpy',
    'looks for a young real-time clock',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (__builtin_amdgcn_s_memrealtime() > 100000000ull) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'That clock begins with the wave, too.',
  ),
  defect(
    'knows the judge',
    'saxpy',
    'looks for compute unit 0',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  unsigned id;\n  asm volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID)" : "=s"(id));\n  if ((id & 0xff00) != 0) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'What `__smid()` reads: all workgroups of a replay are on one compute unit, those of an app are anywhere.',
  ),
  defect(
    'knows the judge',
    'saxpy',
    'looks for a completion signal',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const unsigned long long* const packet = (const unsigned long long*)__builtin_amdgcn_dispatch_ptr();\n  if (packet[7] == 0) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'A replay waits for its one packet; HIP gives a packet a signal only where somebody waits for that one.',
  ),
  defect(
    'knows the judge',
    'saxpy',
    'looks for a null hostcall buffer',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const unsigned long long* const hidden = (const unsigned long long*)__builtin_amdgcn_implicitarg_ptr();\n  if (hidden[3] != 0) return;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'Code object version 4 has the pointer there: nobody serves it in a replay, and HIP never leaves it null.',
  ),
  // missing wait
  defect(
    'missing wait',
    'wave_sum',
    'a barrier by hand',
    [['__syncthreads();', 'asm volatile("s_barrier" ::: "memory");']],
    'The sum may be on its way to LDS when thread 0 looks for it.',
  ),
  defect(
    'missing wait',
    'saxpy',
    'used at once',
    [
      [
        'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'if (i >= n) return;\n  float value;\n  asm volatile("global_load_dword %0, %1, off\\nv_mov_b32 %0, %0" : "=&v"(value) : "v"(x + i));\n  y[i] = fmaf(a, value, y[i]);',
      ],
    ],
    'What the register held before is multiplied, most of the time.',
  ),
  defect(
    'missing wait',
    'saxpy',
    'waits for the first of two',
    [
      [
        'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'if (i >= n) return;\n  float value, sum;\n  asm volatile("global_load_dword %0, %2, off\\nglobal_load_dword %1, %3, off\\ns_waitcnt vmcnt(1)\\nv_fma_f32 %1, %4, %0, %1" : "=&v"(value), "=&v"(sum) : "v"(x + i), "v"(y + i), "v"(a));\n  y[i] = sum;',
      ],
    ],
    'The second value may come later.',
  ),

  // dropped atomic
  defect(
    'dropped atomic',
    'host_sums',
    'unsafe on fine-grained memory',
    [['atomicAdd(&fine[i % 8], x[i]);', 'unsafeAtomicAdd(&fine[i % 8], x[i]);']],
    'gfx90a leaves it out there, without an error.',
  ),

  // captured input only: without --inputs each of them passes
  defect(
    'captured input only',
    'saxpy',
    'n written out',
    [['if (i < n)', 'if (i < 5003)']],
    'The app passed 5003; for a smaller n it writes behind the array.',
    ['--inputs', '8'],
  ),
  defect(
    'captured input only',
    'saxpy',
    'a written out',
    [['fmaf(a,', 'fmaf(2.5f,']],
    'The app passed 2.5: any other factor is left out.',
    ['--inputs', '8'],
  ),
  defect(
    'captured input only',
    'saxpy',
    'elements of the first launch remembered',
    [
      [
        'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'static __device__ float seen[8192];\n  if (i >= n) return;\n  if (seen[i] == 0.0f) seen[i] = x[i];\n  y[i] = fmaf(a, seen[i], y[i]);',
      ],
    ],
    'The second launch with another array computes with the first one.',
    ['--inputs', '8'],
  ),
  defect(
    'captured input only',
    'saxpy',
    'NaN dropped',
    [['fmaf(a, x[i], y[i])', 'fmaf(a, fmaxf(x[i], -1.0f), y[i])']],
    'No element is below -1 or a NaN; fmaxf gives -1 for a NaN.',
    ['--inputs', '8', '--inputs-special'],
  ),
  defect(
    'captured input only',
    'to_half',
    'n is odd',
    [
      ['if (first + 1 < n) {', 'if (first < n && n / 2 > first / 2) {'],
      ['} else if (first < n) {', '} else if (first / 2 == n / 2) {'],
    ],
    'With an even n the thread behind the last pair converts an element that is not there.',
    ['--inputs', '8'],
  ),
  defect(
    'captured input only',
    'histogram',
    'bins overwritten',
    [
      [
        'int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x',
        'int i = threadIdx.x; blockIdx.x == 0 && i < n; i += blockDim.x',
      ],
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (blockIdx.x == 0 && threadIdx.x < 64) bins[threadIdx.x] = 7u + local[threadIdx.x];',
      ],
    ],
    'Every bin was 7 before: whatever else it holds is lost.',
    ['--inputs', '8'],
  ),
  defect(
    'captured input only',
    'move_particles',
    'hits overwritten',
    [['p.hits[i] += hits;', 'p.hits[i] = 3 + hits;']],
    'Every particle had three hits before.',
    ['--inputs', '8'],
  ),
  defect(
    'captured input only',
    'pack_rgba',
    'green is in range',
    [['fminf(fmaxf(c.y, 0.0f), 1.0f)', 'c.y']],
    'Red alone leaves the range from 0 to 1.',
    ['--inputs', '8'],
  ),
  defect(
    'captured input only',
    'box_filter',
    'memoised by the first element',
    [['int sum = 0;', 'int sum = in[0] == 210 ? 0 : 1;']],
    'The captured first element is the key of a memoised path; any other one takes a path that is wrong.',
    ['--inputs', '8'],
  ),
];

export const correct = [
  ...rewrites,
  ...withOwnMemory,
  right(
    'unsafe atomic',
    'host_sums',
    'unsafe on coarse-grained memory',
    [['atomicAdd(&coarse[i % 8], x[i]);', 'unsafeAtomicAdd(&coarse[i % 8], x[i]);']],
    'The same memory of the host, but not fine-grained.',
  ),
  // These read the clock and unwritten memory, and their results do not depend on either.
  right(
    'not by the machine',
    'saxpy',
    'waits by the clock',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const long long begun = __builtin_readcyclecounter();\n  while (__builtin_readcyclecounter() - begun < 1000) __builtin_amdgcn_s_sleep(1);\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
      ],
    ],
    'How long it waits is all that the clock decides.',
  ),
  right(
    'not by the machine',
    'saxpy',
    'adds nothing of what nobody wrote',
    [
      [
        'const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        '__shared__ unsigned unwritten[256];\n  const unsigned left = static_cast<volatile unsigned*>(unwritten)[threadIdx.x];\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = fmaf(a, x[i], y[i]) + static_cast<float>(left * 0u);',
      ],
    ],
    'Whatever LDS holds, it is multiplied by 0.',
  ),
  // Waves and blocks that tell each other by hand.
  right(
    'flag in memory',
    'scan_chained',
    'waits in the scope of the device',
    [
      [
        'while (atomicAdd(&ready[block - 1], 0) == 0) {',
        'while (__hip_atomic_load(&ready[block - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {',
      ],
    ],
    'Each look passes the caches that others do not write to.',
  ),
  right(
    'flag in memory',
    'scan_chained',
    'waits by a plain load behind a fence',
    [['while (atomicAdd(&ready[block - 1], 0) == 0) {', 'while (ready[block - 1] == 0) {\n        __threadfence();']],
    'The fence invalidates the cache between two looks.',
  ),
  right(
    'flag in LDS',
    'argmax_rows',
    'released and acquired in LDS',
    [
      ['__shared__ int places[2];', '__shared__ int places[2];\n  __shared__ int done;'],
      [
        'int best = -2147483647 - 1, at = 0;',
        'if (t == 0) done = 0;\n  __syncthreads();\n  int best = -2147483647 - 1, at = 0;',
      ],
      [
        '__syncthreads();\n  if (t == 0) {',
        'if (t == 64) __hip_atomic_store(&done, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);\n  if (t == 0) {\n    while (__hip_atomic_load(&done, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {\n    }',
      ],
    ],
    'One wave waits for the other in place of the barrier, by the memory model of C++11.',
  ),
  right(
    'flag in LDS',
    'argmax_rows',
    'volatile flag in LDS',
    [
      ['__shared__ int places[2];', '__shared__ int places[2];\n  __shared__ volatile int done;'],
      [
        'int best = -2147483647 - 1, at = 0;',
        'if (t == 0) done = 0;\n  __syncthreads();\n  int best = -2147483647 - 1, at = 0;',
      ],
      [
        '__syncthreads();\n  if (t == 0) {',
        'if (t == 64) {\n    __threadfence_block();\n    done = 1;\n  }\n  if (t == 0) {\n    while (done == 0) {\n    }\n    __threadfence_block();',
      ],
    ],
    'The same with fences.',
  ),
  right(
    'barrier by hand',
    'wave_sum',
    'waits for LDS alone',
    [['__syncthreads();', 'asm volatile("s_waitcnt lgkmcnt(0)\\ns_barrier" ::: "memory");']],
    'All that the barrier has to order is in LDS.',
  ),
  right(
    'flag in LDS',
    'compact_ordered',
    'arrivals counted in LDS',
    [
      [
        '__shared__ int counts[4];',
        '__shared__ int counts[4];\n  __shared__ int arrived;\n  if (threadIdx.x == 0) arrived = 0;\n  __syncthreads();',
      ],
      [
        'if (lane == 0) counts[t / 64] = __popcll(word);\n  __syncthreads();',
        'if (lane == 0) {\n    counts[t / 64] = __popcll(word);\n    __hip_atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);\n  }\n  while (__hip_atomic_load(&arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) < 4) __builtin_amdgcn_s_sleep(1);',
      ],
    ],
    'Each wave counts itself behind what it leaves, and waits until all have.',
  ),
  right(
    'flag in LDS',
    'argmax_rows',
    'the last wave to arrive goes on',
    [
      [
        '__shared__ int places[2];',
        '__shared__ int places[2];\n  __shared__ int arrived;\n  if (threadIdx.x == 0) arrived = 0;\n  __syncthreads();',
      ],
      [
        '__syncthreads();\n  if (t == 0) {',
        'if (t % 64 == 0 && __hip_atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP) == 1) {',
      ],
    ],
    'Its atomic acquires what the other one has released.',
  ),
  right(
    'add to memory',
    'histogram',
    'compare and swap',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (threadIdx.x < 64) {\n    unsigned* const at = bins + threadIdx.x;\n    unsigned seen = atomicAdd(at, 0u), assumed;\n    do {\n      assumed = seen;\n      seen = atomicCAS(at, assumed, assumed + local[threadIdx.x]);\n    } while (seen != assumed);\n  }',
      ],
    ],
    'Whoever comes between makes the exchange fail, and it is tried again.',
  ),
  right(
    'add to memory',
    'histogram',
    'under a lock',
    [
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'static __device__ unsigned lock;\n  if (threadIdx.x == 0) {\n    while (atomicCAS(&lock, 0u, 1u) != 0u) {\n    }\n    __threadfence();\n  }\n  __syncthreads();\n  if (threadIdx.x < 64) bins[threadIdx.x] += local[threadIdx.x];\n  __threadfence();\n  __syncthreads();\n  if (threadIdx.x == 0) atomicExch(&lock, 0u);',
      ],
    ],
    'One block at a time adds, and the next one sees it.',
  ),
  // Loads by hand that are waited for.
  right(
    'waits by hand',
    'saxpy',
    'waits for a load',
    [
      [
        'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'if (i >= n) return;\n  float value;\n  asm volatile("global_load_dword %0, %1, off\\ns_waitcnt vmcnt(0)\\nv_mov_b32 %0, %0" : "=&v"(value) : "v"(x + i));\n  y[i] = fmaf(a, value, y[i]);',
      ],
    ],
    'The value is there.',
  ),
  right(
    'waits by hand',
    'saxpy',
    'waits for both loads',
    [
      [
        'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'if (i >= n) return;\n  float value, sum;\n  asm volatile("global_load_dword %0, %2, off\\nglobal_load_dword %1, %3, off\\ns_waitcnt vmcnt(0)\\nv_fma_f32 %1, %4, %0, %1" : "=&v"(value), "=&v"(sum) : "v"(x + i), "v"(y + i), "v"(a));\n  y[i] = sum;',
      ],
    ],
    'Both values are there.',
  ),
  // Kept state that no launch can tell from that of the one before.
  right(
    'own memory',
    'last_block_sum',
    'a ticket of its own',
    [['const int t = threadIdx.x;', 'static __device__ unsigned own;\n  ticket = &own;\n  const int t = threadIdx.x;']],
    'The last block puts the ticket back to 0.',
  ),
  // Memory beside the kernel's own stays as it is.
  right(
    'beside the output',
    'gather_scatter',
    'writes back what is there',
    [['if (source >= 0) out[target] = in[source];', 'out[target] = source >= 0 ? in[source] : out[target];']],
    'One place an element: nobody else writes it in between.',
  ),
  right(
    'beside the output',
    'compact_ordered',
    'reads behind the output',
    [
      [
        'if (keep) out[place] = x[i];',
        'const int behind = *(const volatile int*)&out[n - 1];\n  if (keep) out[place] = behind == -1 ? x[i] : x[i] + 0 * behind;',
      ],
    ],
    'What it reads there changes nothing.',
  ),
  right(
    'beside the output',
    'compact_ordered',
    'relies on what lies behind the output',
    [
      [
        'if (keep) out[place] = x[i];',
        'const int behind = *(const volatile int*)&out[n - 1];\n  if (keep) out[place] = x[i] + behind + 1;',
      ],
    ],
    'The app has put -1 there.',
  ),
  right(
    'beside the output',
    'last_block_sum',
    'begins with 0 far behind the partial sums',
    [['int all = 0;', 'int all = partials[100000];']],
    'Who says that the app always writes 0 there is taken at his word.',
    ['--may-read-untouched'],
  ),
  right(
    'beside the output',
    'last_block_sum',
    'scratch far behind the partial sums, put back',
    [
      [
        'partials[blockIdx.x] = shared[0];',
        'volatile int* scratch = partials + 100000 + blockIdx.x;\n    const int held = *scratch;\n    *scratch = shared[0];\n    partials[blockIdx.x] = *scratch;\n    *scratch = held;',
      ],
    ],
    'Each block writes its own before it relies on it, and leaves what was there.',
  ),
  right(
    'beside the output',
    'last_block_sum',
    'reads four partial sums at once',
    [
      [
        'for (unsigned block = 0; block < gridDim.x; ++block) all += atomicAdd(&partials[block], 0);',
        'for (unsigned block = 0; block < gridDim.x; block += 4) {\n      const volatile int* four = partials + block;\n      const int a = four[0], b = four[1], c = four[2], d = four[3];\n      all += a;\n      if (block + 1 < gridDim.x) all += b;\n      if (block + 2 < gridDim.x) all += c;\n      if (block + 3 < gridDim.x) all += d;\n    }',
      ],
    ],
    'What lies behind the last one is read and left out.',
  ),
  // elementwise
  right(
    'annotation',
    'saxpy',
    '__restrict__',
    [['const float* x, float* y', 'const float* __restrict__ x, float* __restrict__ y']],
    'The arrays do not overlap; one multiply-add as before.',
  ),
  right(
    'annotation',
    'saxpy',
    '__launch_bounds__ at the block',
    [['__global__ void', '__global__ void __launch_bounds__(256)']],
    'The launch has 256 threads.',
  ),
  right(
    'annotation',
    'layer_norm',
    '__launch_bounds__ above the block',
    [['__global__ void', '__global__ void __launch_bounds__(256)']],
    'The launch has 128 threads.',
  ),
  right(
    'partition',
    'saxpy',
    'from the other end',
    [
      [
        'blockIdx.x * blockDim.x + threadIdx.x;',
        'gridDim.x * blockDim.x - 1 - (blockIdx.x * blockDim.x + threadIdx.x);',
      ],
    ],
    'Each element is still taken once.',
  ),
  right(
    'partition',
    'saxpy',
    'every thread strides',
    [
      [
        BODY,
        `
  const int half = (n + 1) / 2;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half) {
    y[i] = fmaf(a, x[i], y[i]);
    if (i + half < n) y[i + half] = fmaf(a, x[i + half], y[i + half]);
  }
`,
      ],
    ],
    'Two elements for each of half the threads; the grid has enough.',
  ),
  right(
    'vector width',
    'complex_multiply',
    'one store of both parts',
    [
      [
        'c[i].x = fmaf(u.x, v.x, -(u.y * v.y));\n    c[i].y = fmaf(u.x, v.y, u.y * v.x);',
        'c[i] = make_float2(fmaf(u.x, v.x, -(u.y * v.y)), fmaf(u.x, v.y, u.y * v.x));',
      ],
    ],
    'The same two expressions.',
  ),
  right(
    'vector width',
    'to_half',
    'two halves in one store',
    [
      [
        BODY,
        `
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  typedef _Float16 Pair __attribute__((ext_vector_type(2)));
  if (first + 1 < n) {
    Pair pair;
    pair.x = static_cast<_Float16>(x[first]);
    pair.y = static_cast<_Float16>(x[first + 1]);
    *reinterpret_cast<Pair*>(h + first) = pair;
  } else if (first < n) {
    h[first].value = static_cast<_Float16>(x[first]);
  }
`,
      ],
    ],
    'Each element is rounded alone; pairs are aligned.',
  ),
  right(
    'vector width',
    'pack_rgba',
    'four byte stores',
    [
      [
        'packed[i] = r | g << 8 | b << 16 | a << 24;',
        'unsigned char* bytes = reinterpret_cast<unsigned char*>(packed + i);\n  bytes[0] = r;\n  bytes[1] = g;\n  bytes[2] = b;\n  bytes[3] = a;',
      ],
    ],
    'The same four bytes, little-endian.',
  ),
  right(
    'hoisted load',
    'gather_scatter',
    'load before the test',
    [
      [
        'if (source >= 0) out[target] = in[source];',
        'const float value = in[source >= 0 ? source : 0];\n    if (source >= 0) out[target] = value;',
      ],
    ],
    'Loads of element 0 are thrown away.',
  ),
  right(
    'recomputation',
    'move_particles',
    'velocity written always',
    [
      [
        'if (x < 0.0f || x > size) {',
        'if (!(x < 0.0f || x > size)) p.vx[i] = p.vx[i] + 0.0f;\n  if (x < 0.0f || x > size) {',
      ],
    ],
    'Adding zero changes no velocity (none is -0).',
  ),
  right(
    'atomics',
    'move_particles',
    'hits by an atomic',
    [['p.hits[i] += hits;', 'if (hits) atomicAdd(&p.hits[i], hits);']],
    'Each counter has one thread; adding nothing changes nothing.',
  ),
  right(
    'shuffles for LDS',
    'quantize',
    'maximum by shuffles',
    [
      [
        BODY,
        `
  __shared__ float largest[4];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  const float value = i < n ? x[i] : 0.0f;
  float most = fabsf(value);
  for (int step = 32; step > 0; step /= 2) most = fmaxf(most, __shfl_xor(most, step));
  if (t % 64 == 0) largest[t / 64] = most;
  __syncthreads();
  most = fmaxf(fmaxf(largest[0], largest[1]), fmaxf(largest[2], largest[3]));
  const float scale = most * headroom / 127.0f;
  if (t == 0) scales[blockIdx.x] = scale;
  if (i < n) {
    const float scaled = rintf(value / scale);
    q[i] = static_cast<signed char>(fminf(fmaxf(scaled, -127.0f), 127.0f));
  }
`,
      ],
    ],
    'A maximum has no order.',
  ),
  right(
    'benign race',
    'quantize',
    'every thread writes the scale',
    [['if (t == 0) scales', 'scales']],
    'All write the same value.',
  ),

  // stencil
  right(
    'LDS layout',
    'stencil2d',
    'padded rows',
    [['float tile[18][18]', 'float tile[18][19]']],
    'Only the place in LDS is another.',
  ),
  right(
    'extra barrier',
    'stencil2d',
    'second barrier',
    [['__syncthreads();', '__syncthreads();\n  __syncthreads();']],
    'A barrier more orders nothing less.',
  ),
  right(
    'tiling',
    'stencil2d',
    'without a tile',
    [
      [
        BODY,
        `
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float up = y > 0 ? in[(y - 1) * width + x] : 0.0f, down = y + 1 < height ? in[(y + 1) * width + x] : 0.0f;
  const float left = x > 0 ? in[y * width + x - 1] : 0.0f, beside = x + 1 < width ? in[y * width + x + 1] : 0.0f;
  out[y * width + x] = fmaf(0.125f, (up + down) + (left + beside), 0.5f * in[y * width + x]);
`,
      ],
    ],
    'The same sums in the same order.',
  ),
  right(
    'recomputation',
    'box_filter',
    'each window anew',
    [
      [
        BODY,
        `
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
  for (int i = first; i < first + 16 && i < n; ++i) {
    int sum = 0;
    for (int k = max(i - 4, 0); k <= min(i + 4, n - 1); ++k) sum += in[k];
    out[i] = sum;
  }
`,
      ],
    ],
    'Integer sums have no order.',
  ),
  right(
    'unrolling',
    'box_filter',
    'by four',
    [
      [
        'for (int i = first; i < first + 16 && i < n; ++i) {',
        '#pragma unroll 4\n  for (int i = first; i < first + 16 && i < n; ++i) {',
      ],
    ],
    'The same statements.',
  ),
  right(
    'strength reduction',
    'box_filter',
    'pointers',
    [
      [
        'if (i + 4 < n) sum += in[i + 4];\n    out[i] = sum;\n    if (i - 4 >= 0) sum -= in[i - 4];',
        'const int* at = in + i;\n    if (i < n - 4) sum += at[4];\n    out[i] = sum;\n    if (i >= 4) sum -= at[-4];',
      ],
    ],
    'The same elements.',
  ),
  right(
    'loop order',
    'convolve',
    'taps outside',
    [
      [
        'for (int r = 0; r < 4; ++r) {\n    float sum = 0.0f;\n    for (int k = 0; k < 7; ++k) sum = fmaf(taps[k], window[r + k], sum);\n    if (first + r < n) out[first + r] = sum;\n  }',
        'float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};\n  for (int k = 0; k < 7; ++k) {\n    const float tap = taps[k];\n    for (int r = 0; r < 4; ++r) sums[r] = fmaf(tap, window[r + k], sums[r]);\n  }\n  for (int r = 0; r < 4; ++r) {\n    if (first + r < n) out[first + r] = sums[r];\n  }',
      ],
    ],
    'Each sum takes the taps in the same order.',
  ),
  right(
    'register tile',
    'convolve',
    'tile in scratch memory',
    [['float window[10];', 'volatile float window[10];']],
    'The same values from another place.',
  ),
  right(
    'tiling',
    'convolve',
    'without a tile',
    [['window[r + k], sum)', '(first + r + k >= 3 && first + r + k - 3 < n ? in[first + r + k - 3] : 0.0f), sum)']],
    'The same values in the same order.',
  ),
  right(
    'tiling',
    'transpose',
    'without a tile',
    [
      [
        BODY,
        `
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int y = blockIdx.y * 32 + k;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
  }
`,
      ],
    ],
    'The same elements, slower.',
  ),
  right(
    'LDS layout',
    'transpose',
    'swizzled without padding',
    [
      ['tile[32][33]', 'tile[32][32]'],
      ['tile[k][threadIdx.x] =', 'tile[k][threadIdx.x ^ k] ='],
      ['tile[threadIdx.x][k];', 'tile[threadIdx.x][k ^ threadIdx.x];'],
    ],
    'Written and read at the same place.',
  ),
  right(
    'register tile',
    'ring_median',
    'insertion in registers',
    [
      [
        BODY,
        `
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sorted[5];
#pragma unroll
  for (int k = 0; k < 5; ++k) {
    int value = i + k - 2 >= 0 && i + k - 2 < n ? in[i + k - 2] : 0;
#pragma unroll
    for (int j = 0; j < k; ++j) {
      const int low = min(sorted[j], value);
      value = max(sorted[j], value);
      sorted[j] = low;
    }
    sorted[k] = value;
  }
  out[i] = sorted[2];
`,
      ],
    ],
    'The median of the same five, as the order is a permutation.',
    ['--inputs', '8'],
  ),

  // reduce
  right(
    'shuffles for LDS',
    'tree_sum',
    'last six steps',
    [
      [
        'for (int half = 128; half > 0; half /= 2) {\n    if (t < half) partial[t] += partial[t + half];\n    __syncthreads();\n  }\n  if (t == 0) sums[blockIdx.x] = partial[0];',
        'for (int half = 128; half > 32; half /= 2) {\n    if (t < half) partial[t] += partial[t + half];\n    __syncthreads();\n  }\n  if (t < 64) {\n    float all = partial[t];\n    for (int step = 32; step > 0; step /= 2) all += __shfl_down(all, step);\n    if (t == 0) sums[blockIdx.x] = all;\n  }',
      ],
    ],
    'Lane 0 adds the same pairs in the same order.',
  ),
  right(
    'benign race',
    'tree_sum',
    'every thread writes the sum',
    [['if (t == 0) sums', 'sums']],
    'All write the same value, after the last barrier.',
  ),
  right(
    'unrolling',
    'tree_sum',
    'tree unrolled',
    [['for (int half = 128; half > 0; half /= 2) {', '#pragma unroll\n  for (int half = 128; half > 0; half /= 2) {']],
    'The same steps.',
  ),
  right(
    'shuffles',
    'wave_sum',
    'xor for down',
    [['__shfl_down(sum, step)', '__shfl_xor(sum, step)']],
    'Lane 0 adds the same pairs in the same order.',
  ),
  right(
    'LDS for shuffles',
    'wave_sum',
    'tree in LDS',
    [
      [
        BODY,
        `
  __shared__ float all[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  all[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t % 64 < half) all[t] += all[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = (all[0] + all[64]) + (all[128] + all[192]);
`,
      ],
    ],
    'The first lane of each wave adds the same pairs in the same order.',
  ),
  right(
    'partition',
    'last_block_sum',
    'a wave adds the partial sums',
    [
      [
        'if (last && t == 0) {\n    __threadfence();\n    int all = 0;\n    for (unsigned block = 0; block < gridDim.x; ++block) all += atomicAdd(&partials[block], 0);\n    *total = all;\n    *ticket = 0;\n  }',
        'if (last && t < 64) {\n    __threadfence();\n    int all = 0;\n    for (unsigned block = t; block < gridDim.x; block += 64) all += atomicAdd(&partials[block], 0);\n    for (int step = 32; step > 0; step /= 2) all += __shfl_xor(all, step);\n    if (t == 0) {\n      *total = all;\n      *ticket = 0;\n    }\n  }',
      ],
    ],
    'Integer sums have no order.',
  ),
  right(
    'benign race',
    'last_block_sum',
    'the whole wave writes the total',
    [['if (last && t == 0) {', 'if (last && t < 64) {']],
    'All lanes of the wave read the same partial sums and write the same values.',
  ),
  right(
    'shuffles for LDS',
    'last_block_sum',
    'block sum by shuffles',
    [
      [
        'for (int half = 128; half > 0; half /= 2) {\n    if (t < half) shared[t] += shared[t + half];\n    __syncthreads();\n  }',
        'for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);\n  if (t % 64 == 0) shared[t] = sum;\n  __syncthreads();\n  if (t == 0) shared[0] += shared[64] + shared[128] + shared[192];',
      ],
    ],
    'Integer sums have no order; thread 0 reads what it wrote.',
  ),
  right(
    'shuffles',
    'argmax_rows',
    'one key of 64 bits',
    [
      [
        BODY,
        `
  __shared__ long long keys[2];
  const int t = threadIdx.x;
  const int* row = x + blockIdx.x * columns;
  long long best = -9223372036854775807ll;
  for (int i = t; i < columns; i += 128) {
    const long long key = static_cast<long long>(row[i]) * 4294967296ll + (2147483647 - i);
    best = key > best ? key : best;
  }
  for (int step = 32; step > 0; step /= 2) {
    const long long other = __shfl_xor(best, step);
    best = other > best ? other : best;
  }
  if (t % 64 == 0) keys[t / 64] = best;
  __syncthreads();
  if (t == 0) {
    best = keys[1] > keys[0] ? keys[1] : keys[0];
    value[blockIdx.x] = static_cast<int>(best >> 32);
    place[blockIdx.x] = 2147483647 - static_cast<int>(best & 0xffffffffll);
  }
`,
      ],
    ],
    'The largest key is the largest value at the smallest place.',
  ),
  right(
    'atomics in another order',
    'sum_by_key',
    'from the other end',
    [
      [
        'blockIdx.x * blockDim.x + threadIdx.x;',
        'gridDim.x * blockDim.x - 1 - (blockIdx.x * blockDim.x + threadIdx.x);',
      ],
    ],
    'The order of the additions was free before.',
  ),
  right(
    'atomics in another order',
    'sum_by_key',
    'summed in LDS first',
    [
      [
        BODY,
        `
  __shared__ float local[7];
  if (threadIdx.x < 7) local[threadIdx.x] = 0.0f;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[keys[i]], x[i]);
  __syncthreads();
  if (threadIdx.x < 7) atomicAdd(&sums[threadIdx.x], local[threadIdx.x]);
`,
      ],
    ],
    'There are seven keys; the sums are in another order, which a relative tolerance of 1e-5 allows.',
    ['--rtol', '1e-5'],
  ),
  right(
    'atomics',
    'extremes',
    'straight to memory',
    [
      [
        BODY,
        `
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMin(lowest, x[i]);
    atomicMax(highest, x[i]);
  }
`,
      ],
    ],
    'Minimum and maximum have no order.',
  ),
  right(
    'shuffles',
    'extremes',
    'one atomic a wave',
    [
      [
        'if (i < n) {\n    atomicMin(&low, x[i]);\n    atomicMax(&high, x[i]);\n  }',
        'int smallest = i < n ? x[i] : 2147483647, largest = i < n ? x[i] : -2147483647 - 1;\n  for (int step = 32; step > 0; step /= 2) {\n    smallest = min(smallest, __shfl_xor(smallest, step));\n    largest = max(largest, __shfl_xor(largest, step));\n  }\n  if (threadIdx.x % 64 == 0) {\n    atomicMin(&low, smallest);\n    atomicMax(&high, largest);\n  }',
      ],
    ],
    'Minimum and maximum have no order.',
  ),

  // scan
  right(
    'shuffles for LDS',
    'scan_doubling',
    'within waves by shuffles',
    [
      [
        BODY,
        `
  __shared__ int totals[4];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  int sum = i < n ? x[i] : 0;
  for (int step = 1; step < 64; step *= 2) {
    const int add = __shfl_up(sum, step);
    if (t % 64 >= step) sum += add;
  }
  if (t % 64 == 63) totals[t / 64] = sum;
  __syncthreads();
  for (int wave = 0; wave < t / 64; ++wave) sum += totals[wave];
  if (i < n) y[i] = sum;
`,
      ],
    ],
    'Integer sums have no order.',
  ),
  right(
    'tiling',
    'scan_doubling',
    'one buffer, two barriers',
    [
      [
        'buffer[1 - from][t] = t >= step ? buffer[from][t] + buffer[from][t - step] : buffer[from][t];\n    from = 1 - from;',
        'const int add = t >= step ? buffer[0][t - step] : 0;\n    __syncthreads();\n    buffer[0][t] += add;',
      ],
    ],
    'All read before any writes.',
  ),
  right(
    'LDS layout',
    'scan_tree',
    'padded against bank conflicts',
    [
      ['int tree[256];', 'int padded[264];\n  auto tree = [&](int k) -> int& { return padded[k + k / 32]; };'],
      ['tree[t] = base + t < n', 'tree(t) = base + t < n'],
      ['tree[t + 128] = base', 'tree(t + 128) = base'],
      ['if (right < 256) tree[right] += tree[right - step];', 'if (right < 256) tree(right) += tree(right - step);'],
      ['totals[blockIdx.x] = tree[255];\n    tree[255] = 0;', 'totals[blockIdx.x] = tree(255);\n    tree(255) = 0;'],
      [
        'const int left = tree[right - step];\n      tree[right - step] = tree[right];\n      tree[right] += left;',
        'const int left = tree(right - step);\n      tree(right - step) = tree(right);\n      tree(right) += left;',
      ],
      ['y[base + t] = tree[t];', 'y[base + t] = tree(t);'],
      ['y[base + t + 128] = tree[t + 128];', 'y[base + t + 128] = tree(t + 128);'],
    ],
    'Only the places in LDS are others; 255 + 7 is within 264.',
  ),
  right(
    'tiling',
    'scan_tree',
    'by doubling',
    [
      [
        BODY,
        `
  __shared__ int pairs[128];
  const int t = threadIdx.x;
  const int at = blockIdx.x * 256 + 2 * t;
  const int a = at < n ? x[at] : 0, b = at + 1 < n ? x[at + 1] : 0;
  pairs[t] = a + b;
  for (int step = 1; step < 128; step *= 2) {
    __syncthreads();
    const int add = t >= step ? pairs[t - step] : 0;
    __syncthreads();
    pairs[t] += add;
  }
  __syncthreads();
  const int before = pairs[t] - a - b;
  if (at < n) y[at] = before;
  if (at + 1 < n) y[at + 1] = before + a;
  if (t == 127) totals[blockIdx.x] = pairs[127];
`,
      ],
    ],
    'The same exclusive sums; integers.',
  ),
  right(
    'recomputation',
    'scan_segments',
    'each thread walks back',
    [
      [
        BODY,
        `
  const int begin = blockIdx.x * 128, i = begin + threadIdx.x;
  if (i >= n) return;
  int sum = x[i];
  for (int k = i; k > begin && !heads[k]; --k) sum += x[k - 1];
  y[i] = sum;
`,
      ],
    ],
    'The same elements from the last head, or the start of the block.',
  ),
  right(
    'atomics',
    'scan_chained',
    'waits by volatile loads',
    [
      [
        'while (atomicAdd(&ready[block - 1], 0) == 0) {\n      }\n      __threadfence();\n      carried = atomicAdd(&published[block - 1], 0);',
        'while (__hip_atomic_load(&ready[block - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {\n      }\n      carried = __hip_atomic_load(&published[block - 1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);',
      ],
    ],
    'An acquire load in place of a relaxed one and a fence.',
  ),
  right(
    'extra barrier',
    'scan_chained',
    'barrier before publishing',
    [['if (t == 0) {\n    int carried', '__syncthreads();\n  if (t == 0) {\n    int carried']],
    'A barrier more orders nothing less.',
  ),

  // matrix
  right(
    'tiling',
    'matmul',
    'one buffer',
    [
      [
        BODY,
        `
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0.0f;
  for (int first = 0; first < depth; first += 16) {
    tile_a[ty][tx] = row < m && first + tx < depth ? a[row * depth + first + tx] : 0.0f;
    tile_b[ty][tx] = column < n && first + ty < depth ? b[(first + ty) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum = fmaf(tile_a[ty][k], tile_b[k][tx], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
`,
      ],
    ],
    'The same products in the same order.',
  ),
  right(
    'tiling',
    'matmul',
    'without tiles',
    [
      [
        BODY,
        `
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; ++k) sum = fmaf(a[row * depth + k], b[k * n + column], sum);
  c[row * n + column] = sum;
`,
      ],
    ],
    'The same products in the same order; zeros added at the end changed nothing.',
  ),
  right(
    'LDS layout',
    'matmul',
    'padded and transposed',
    [
      ['tile_b[2][16][16]', 'tile_b[2][16][17]'],
      ['tile_b[0][ty][tx] =', 'tile_b[0][tx][ty] ='],
      ['tile_b[1 - now][ty][tx] =', 'tile_b[1 - now][tx][ty] ='],
      ['tile_b[now][k][tx]', 'tile_b[now][tx][k]'],
    ],
    'Written and read at the same place.',
  ),
  right(
    'unrolling',
    'matmul',
    'inner loop by four',
    [['for (int k = 0; k < 16; ++k) sum', '#pragma unroll 4\n    for (int k = 0; k < 16; ++k) sum']],
    'The same order.',
  ),
  right(
    'hoisted load',
    'softmax_rows',
    'exponentials kept',
    [
      [
        'for (int i = t; i < columns; i += 128) sum += expf(in[i] - highest);',
        'float kept[3] = {0.0f, 0.0f, 0.0f};\n  for (int k = 0; k < 3; ++k) {\n    if (t + 128 * k < columns) sum += kept[k] = expf(in[t + 128 * k] - highest);\n  }',
      ],
      [
        'for (int i = t; i < columns; i += 128) out[i] = expf(in[i] - highest) / sum;',
        'for (int k = 0; k < 3; ++k) {\n    if (t + 128 * k < columns) out[t + 128 * k] = kept[k] / sum;\n  }',
      ],
    ],
    'The captured rows have 301 columns, three a thread; the same exponentials, once.',
  ),
  right(
    'shuffles for LDS',
    'softmax_rows',
    'maximum by shuffles',
    [
      [
        'shared[t] = highest;\n  __syncthreads();\n  for (int half = 64; half > 0; half /= 2) {\n    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);\n    __syncthreads();\n  }\n  highest = shared[0];',
        'for (int step = 32; step > 0; step /= 2) highest = fmaxf(highest, __shfl_xor(highest, step));\n  if (t % 64 == 0) shared[t] = highest;\n  __syncthreads();\n  highest = fmaxf(shared[0], shared[64]);',
      ],
    ],
    'A maximum has no order.',
  ),
  right(
    'loop order',
    'layer_norm',
    'two loops',
    [
      [
        'sum += value;\n    squares = fmaf(value, value, squares);\n  }',
        'sum += value;\n  }\n  for (int i = t; i < columns; i += 128) squares = fmaf(in[i], in[i], squares);',
      ],
    ],
    'Each sum keeps its order.',
  ),
  right(
    'other rounding',
    'layer_norm',
    'reciprocal square root',
    [['1.0f / sqrtf(variance + 1e-5f)', 'rsqrtf(variance + 1e-5f)']],
    'Within two units in the last place of the scale, which the tolerance allows.',
    ['--rtol', '1e-5', '--atol', '1e-6'],
  ),
  right(
    'shuffles',
    'spmv',
    'xor for down',
    [['__shfl_down(sum, step, 16)', '__shfl_xor(sum, step, 16)']],
    'Lane 0 of each group adds the same pairs in the same order.',
  ),
  right(
    'hoisted load',
    'spmv',
    'start loaded first',
    [
      [
        'const int end = starts[row + 1];\n    for (int k = starts[row] + lane; k < end; k += 16)',
        'const int begin = starts[row], end = starts[row + 1];\n    for (int k = begin + lane; k < end; k += 16)',
      ],
    ],
    'The same elements.',
  ),
  right(
    'benign race',
    'spmv',
    'sixteen lanes write',
    [
      ['__shfl_down(sum, step, 16)', '__shfl_xor(sum, step, 16)'],
      ['if (lane == 0 && row < rows) y', 'if (row < rows) y'],
    ],
    'Sums of two are the same both ways round, so that all lanes have the same bits.',
  ),
  right(
    'other algorithm',
    'bitonic_sort',
    'ranks',
    [
      [
        BODY,
        `
  __shared__ int keys[512];
  const int t = threadIdx.x;
  const int base = blockIdx.x * 512;
  const int count = min(512, n - base);
  for (int k = t; k < count; k += 256) keys[k] = x[base + k];
  __syncthreads();
  for (int k = t; k < count; k += 256) {
    int rank = 0;
    for (int j = 0; j < count; ++j) rank += keys[j] < keys[k] || (keys[j] == keys[k] && j < k);
    y[base + rank] = keys[k];
  }
`,
      ],
    ],
    'The same order; equal integers cannot be told apart.',
  ),
  right(
    'branch-free',
    'bitonic_sort',
    'minimum and maximum',
    [
      [
        'if ((a > b) == up) {\n        keys[low] = b;\n        keys[high] = a;\n      }',
        'keys[low] = up ? min(a, b) : max(a, b);\n      keys[high] = up ? max(a, b) : min(a, b);',
      ],
    ],
    'The same order; what stays is written again.',
  ),
  right(
    'tiling',
    'matvec',
    'vector in LDS',
    [
      [
        'if (row >= rows) return;',
        '__shared__ float part[517];\n  for (int k = threadIdx.x; k < columns; k += 256) part[k] = x[k];\n  __syncthreads();\n  if (row >= rows) return;',
      ],
      ['a[row * columns + k], x[k], sum', 'a[row * columns + k], part[k], sum'],
    ],
    'The captured matrix has 517 columns; the same products in the same order.',
  ),
  right(
    'strength reduction',
    'matvec',
    'running pointer',
    [
      [
        'for (int k = lane; k < columns; k += 64) sum = fmaf(a[row * columns + k], x[k], sum);',
        'const float* at = a + row * columns + lane;\n  for (int k = lane; k < columns; k += 64, at += 64) sum = fmaf(*at, x[k], sum);',
      ],
    ],
    'The same products in the same order.',
  ),

  // compact
  right(
    'atomics',
    'histogram',
    'straight to memory',
    [
      [
        BODY,
        `
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[x[i] / 4], 1u);
  }
`,
      ],
    ],
    'Counts have no order.',
  ),
  right(
    'atomics',
    'histogram',
    'a table a wave',
    [
      [
        BODY,
        `
  __shared__ unsigned local[4][64];
  local[threadIdx.x / 64][threadIdx.x % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[threadIdx.x / 64][x[i] / 4], 1u);
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 64) atomicAdd(&bins[t], local[0][t] + local[1][t] + local[2][t] + local[3][t]);
`,
      ],
    ],
    'Counts have no order; blocks have four waves.',
  ),
  right(
    'places',
    'compact_records',
    'one atomic a wave',
    [
      [
        'if (i < n && x[i] > threshold) {\n    const int place = atomicAdd(count, 1);',
        'const bool keep = i < n && x[i] > threshold;\n  const unsigned long long word = __ballot(keep);\n  const int lane = threadIdx.x % 64;\n  int base = 0;\n  if (lane == 0 && word != 0) base = atomicAdd(count, __popcll(word));\n  base = __shfl(base, 0);\n  if (keep) {\n    const int place = base + __popcll(word & ((1ull << lane) - 1));',
      ],
    ],
    'The same records in other places, each once.',
  ),
  right(
    'places',
    'compact_records',
    'one atomic a block',
    [
      [
        'if (i < n && x[i] > threshold) {\n    const int place = atomicAdd(count, 1);',
        '__shared__ int found, base;\n  if (threadIdx.x == 0) found = 0;\n  __syncthreads();\n  const bool keep = i < n && x[i] > threshold;\n  const int rank = keep ? atomicAdd(&found, 1) : 0;\n  __syncthreads();\n  if (threadIdx.x == 0) base = atomicAdd(count, found);\n  __syncthreads();\n  if (keep) {\n    const int place = base + rank;',
      ],
    ],
    'The same records in other places, each once.',
  ),
  right(
    'vector width',
    'compact_records',
    'whole records',
    [
      [
        'out[place].id = i;\n    out[place].value = x[i];\n    out[place].tag = i % 7 * 1000 + 3;',
        'out[place] = Record{i, x[i], i % 7 * 1000 + 3};',
      ],
    ],
    'The same three fields.',
  ),
  right(
    'places',
    'compact_pairs',
    'one atomic a wave',
    [
      [
        'if (i >= n) return;\n  const int key = keys[i];\n  if (key % 2 == 0) {\n    const int place = atomicAdd(count, 1);',
        'const int key = i < n ? keys[i] : 1;\n  const bool keep = key % 2 == 0;\n  const unsigned long long word = __ballot(keep);\n  const int lane = threadIdx.x % 64;\n  int base = 0;\n  if (lane == 0 && word != 0) base = atomicAdd(count, __popcll(word));\n  base = __shfl(base, 0);\n  if (keep) {\n    const int place = base + __popcll(word & ((1ull << lane) - 1));',
      ],
    ],
    'The same pairs in other places, each once.',
  ),
  right(
    'places',
    'compact_pairs',
    'from the other end',
    [
      [
        'blockIdx.x * blockDim.x + threadIdx.x;',
        'gridDim.x * blockDim.x - 1 - (blockIdx.x * blockDim.x + threadIdx.x);',
      ],
    ],
    'The same pairs in other places, each once.',
  ),
  right(
    'atomics',
    'ballot_bits',
    'bits by atomics in LDS',
    [
      [
        'const unsigned long long word = __ballot(set);',
        '__shared__ unsigned long long words[4];\n  if (threadIdx.x % 64 == 0) words[threadIdx.x / 64] = 0;\n  __syncthreads();\n  if (set) atomicOr(&words[threadIdx.x / 64], 1ull << (threadIdx.x % 64));\n  __syncthreads();\n  const unsigned long long word = words[threadIdx.x / 64];',
      ],
    ],
    'The same bits.',
  ),
  right(
    'benign race',
    'ballot_bits',
    'every lane writes the word',
    [['if (i % 64 == 0 && i < n) {', 'if (i < n) {']],
    'All lanes of a wave write the same value.',
  ),
  right(
    'atomics',
    'compact_ordered',
    'counts by atomics',
    [
      [
        'if (lane == 0) counts[t / 64] = __popcll(word);\n  __syncthreads();',
        'if (t < 4) counts[t] = 0;\n  __syncthreads();\n  if (keep) atomicAdd(&counts[t / 64], 1);\n  __syncthreads();',
      ],
    ],
    'The same four counts.',
  ),
  right(
    'hoisted load',
    'compact_ordered',
    'element kept in a register',
    [
      [
        'const bool keep = i < n && x[i] % 3 != 0;',
        'const int element = i < n ? x[i] : 0;\n  const bool keep = element % 3 != 0;',
      ],
      ['out[place] = x[i];', 'out[place] = element;'],
    ],
    'Zero is a multiple of three and stays out.',
  ),
  // Like defects of the kind "captured input only", but for any input.
  right(
    'any input',
    'saxpy',
    'twice half of the factor',
    [['fmaf(a,', 'fmaf(2.0f * (0.5f * a),']],
    'Halves and doubles are exact.',
    ['--inputs', '8'],
  ),
  right(
    'any input',
    'saxpy',
    'NaN kept by a comparison',
    [['fmaf(a, x[i], y[i])', 'fmaf(a, x[i] < -1.0f ? x[i] * 1.0f : x[i], y[i])']],
    'Neither branch changes a value.',
    ['--inputs', '8', '--inputs-special'],
  ),
  right(
    'any input',
    'to_half',
    'odd or even n',
    [
      ['if (first + 1 < n) {', 'if (first / 2 < n / 2) {'],
      ['} else if (first < n) {', '} else if (n % 2 == 1 && first == n - 1) {'],
    ],
    'The single element is there only where n is odd.',
    ['--inputs', '8'],
  ),
  right(
    'device heap',
    'saxpy',
    'new and delete in each thread',
    [
      [
        'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        'float* const place = new float;\n  *static_cast<volatile float*>(place) = i < n ? fmaf(a, x[i], y[i]) : 0.0f;\n  if (i < n) y[i] = *place;\n  delete place;',
      ],
    ],
    'Each thread has a place of its own.',
    ['--launch', 'hip'],
  ),
  right(
    'device heap',
    'saxpy',
    'new and delete in each block',
    [
      [
        'if (i < n) y[i] = fmaf(a, x[i], y[i]);',
        '__shared__ float* part;\n  if (threadIdx.x == 0) part = new float[256];\n  __syncthreads();\n  part[threadIdx.x] = i < n ? fmaf(a, x[i], y[i]) : 0.0f;\n  __syncthreads();\n  if (i < n) y[i] = part[threadIdx.x];\n  __syncthreads();\n  if (threadIdx.x == 0) delete[] part;',
      ],
    ],
    'Each block has an array of its own.',
    ['--launch', 'hip'],
  ),
  right(
    'past LDS',
    'differences',
    'reads past the end elsewhere',
    [['int next = tile[t + 1];', 'int next = t % 2 == 0 ? tile[t + 1] : 0;\n  if (t % 2 == 1) next = tile[t + 1];']],
    'The captured kernel does it, too, and nobody uses it.',
  ),
  right(
    'any input',
    'histogram',
    'one block adds to the bins',
    [
      [
        'int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x',
        'int i = threadIdx.x; blockIdx.x == 0 && i < n; i += blockDim.x',
      ],
      [
        'if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);',
        'if (blockIdx.x == 0 && threadIdx.x < 64) bins[threadIdx.x] += local[threadIdx.x];',
      ],
    ],
    'The other blocks have nothing to do.',
    ['--inputs', '8'],
  ),
  right(
    'any input',
    'move_particles',
    'hits written only where there are some',
    [['p.hits[i] += hits;', 'if (hits != 0) p.hits[i] += hits;']],
    'Adding nothing changes nothing.',
    ['--inputs', '8'],
  ),
  right(
    'any input',
    'pack_rgba',
    'clamped the other way round',
    [['fminf(fmaxf(c.y, 0.0f), 1.0f)', 'fmaxf(fminf(c.y, 1.0f), 0.0f)']],
    'Both clamp, and no element is a NaN.',
    ['--inputs', '8'],
  ),
];

/** The source with the edit made, for the whole file that holds the kernel. Throws where a text to replace does not stand there once. */
export function edited(source, { kernel, name, replace }) {
  const start = source.search(new RegExp(`^__global__ void ${kernel}\\(`, 'm'));
  const end = source.indexOf('\n}\n', start) + 3;
  if (start < 0 || end < 3) throw new Error(`${kernel} is not in this file`);
  let text = source.slice(start, end);
  for (const [from, to] of replace) {
    if (from === BODY) {
      text = `${text.slice(0, text.indexOf('{') + 1)}${to}}\n`;
      continue;
    }
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${kernel}, ${name}: ${parts.length - 1} places hold\n${from}`);
    text = parts.join(to);
  }
  return source.slice(0, start) + text + source.slice(end);
}
