// Expected results of bench/gpu-repeats.mjs on e2e/fixtures/repeats.

/** Bytes that are overwritten without being read: on the software GPU, and on hardware where that is not the same. */
export const kernels = {
  triple: { overwritten: [4000] },
  scale: { overwritten: [4000] },
  narrow: { overwritten: [1000] },
  tile: { overwritten: [8 * 37 * 4] },
  masked: { overwritten: [2000] },
  fields: { overwritten: [1000] },
  // The search loses a process to the indices.
  scatter: { overwritten: [4000] },
  through: { overwritten: [4096] },
  total: { overwritten: [4] },
  clear: { overwritten: [4000] },
  add: { overwritten: [0], changes: true },
  greatest: { overwritten: [0] },
  least: { overwritten: [0] },
  greatest_unsigned: { overwritten: [0] },
  least_positive: { overwritten: [0] },
  fill_missing: { overwritten: [0] },
  histogram: { overwritten: [0], changes: true },
  exchange: { overwritten: [0] },
  // Hardware cannot tell a read of what the same dispatch always writes before.
  two_phases: { overwritten: [512, 1024] },
  unordered: { overwritten: [4096, 8192] },
  last_block: { overwritten: [4, 36] },
  // The links beside the values cost hardware the whole area.
  walk: { overwritten: [256, 0] },
};

const store = 'out[i] = in[i] * 3;';
const edit = (kernel, what, from, to, ...verdicts) => ({
  kernel,
  what,
  from,
  to,
  verdicts: verdicts.length > 0 ? verdicts : ['FAIL'],
});
/** On the software GPU what is read as well is not judged, and the line says so. */
const unjudged = ['PASS', 'FAIL'];
export const edits = [
  edit('triple', 'a maximum', store, 'if (in[i] * 3 > out[i]) out[i] = in[i] * 3;'),
  edit('triple', 'a minimum', store, 'if (in[i] * 3 < out[i]) out[i] = in[i] * 3;'),
  edit('triple', 'only what is 0', store, 'if (out[i] == 0) out[i] = in[i] * 3;'),
  edit('triple', 'only what is not 0', store, 'if (out[i] != 0 || in[i] == 0) out[i] = in[i] * 3;'),
  edit('triple', 'only what is not plausible', store, 'if (out[i] < -9000 || out[i] > 9000) out[i] = in[i] * 3;'),
  edit('triple', 'the last one left out', 'i < kCount', 'i < kCount - 1'),
  edit('triple', 'every 64th left out', 'i < kCount', 'i < kCount && i % 64 != 63'),
  edit(
    'triple',
    'three bytes of four',
    store,
    'for (int b = 0; b < 3; ++b) ((char*)(out + i))[b] = (char)(in[i] * 3 >> 8 * b);',
  ),
  edit('triple', 'a sum with what is there', store, 'out[i] += in[i] * 3; out[i] -= in[i] * 3;'),
  edit('triple', 'by the neighbour', store, 'out[i] = in[i] * 3 + (((volatile int*)out)[i ^ 1] - in[i ^ 1] * 3);'),
  edit('triple', 'only what differs', store, 'if (out[i] != in[i] * 3) out[i] = in[i] * 3;', 'PASS'),
  edit(
    'triple',
    'by way of the output',
    store,
    '((volatile int*)out)[i] = in[i]; out[i] = ((volatile int*)out)[i] * 3;',
    'PASS',
  ),
  edit('scale', 'fmaxf', 'out[i] = in[i] * 0.5f - 20.0f', 'out[i] = fmaxf(out[i], in[i] * 0.5f - 20.0f)'),
  edit('scale', 'fminf', 'out[i] = in[i] * 0.5f - 20.0f', 'out[i] = fminf(out[i], in[i] * 0.5f - 20.0f)'),
  edit('scale', 'garbage times 0', '- 20.0f', '- 20.0f + 0.0f * out[i]'),
  edit(
    'scale',
    'a mean with what is there',
    'out[i] = in[i] * 0.5f - 20.0f',
    'out[i] = 0.5f * (out[i] + (in[i] * 0.5f - 20.0f))',
  ),
  edit('narrow', 'bits added', 'out[i] = static', 'out[i] |= static'),
  edit('narrow', 'bits taken', 'out[i] = static', 'out[i] &= static'),
  edit('tile', 'a column less', 'x < 37', 'x < 36'),
  edit('tile', 'a column more', 'x < 37', 'x < 38'),
  edit('masked', 'without the mask', ' && (in[i] & 1) != 0', ''),
  edit('fields', 'the wrong field', '.value', '.next'),
  edit('scatter', 'an index off by one', 'out[index[i]]', 'out[(index[i] + 1) % kCount]'),
  edit(
    'through',
    'a row left out',
    'rows[blockIdx.x][threadIdx.x]',
    'if (blockIdx.x != 7) rows[blockIdx.x][threadIdx.x]',
  ),
  edit('total', 'a maximum', '*out = static_cast<unsigned>(sum)', '*out = max(*out, static_cast<unsigned>(sum))'),
  edit('total', 'a minimum', '*out = static_cast<unsigned>(sum)', '*out = min(*out, static_cast<unsigned>(sum))'),
  edit('total', 'once only', '*out = static_cast<unsigned>(sum)', 'if (*out == 0) *out = static_cast<unsigned>(sum)'),
  edit('clear', 'no less than 0', 'out[i] = 0', 'out[i] = max(out[i], 0)'),
  edit('clear', 'no more than 0', 'out[i] = 0', 'out[i] = min(out[i], 0)'),
  edit('clear', 'the sign', 'out[i] = 0', 'out[i] &= 0x7fffffff'),
  edit('two_phases', 'the first phase left out', 'between[t] = in[t] * 5;', '', ...unjudged),
  edit(
    'last_block',
    'the partial sums left out',
    'if (threadIdx.x == 0) {',
    'if (threadIdx.x == 0 && blockIdx.x != 3) {',
  ),
];
