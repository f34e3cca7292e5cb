// Right edits beyond those of bench/defects, so that there are more than 200: what people and agents try first.
import { readFileSync } from 'node:fs';
import { right } from '../defects/edit.mjs';
import { correct } from '../defects/edits.mjs';

const kernels = JSON.parse(readFileSync(new URL('../defects/kernloop.json', import.meta.url), 'utf8')).kernels;

/** Settings that the owner of a reproducer gives where the captured code cannot show them. */
const settings = {
  // Only direct launches tell which memory the captured code reads.
  'saxpy: new and delete in each thread': ['--launch', 'hip', '--inputs', '0'],
  'saxpy: new and delete in each block': ['--launch', 'hip', '--inputs', '0'],
  // Rows of a derived input are longer if these change places, so that sums leave the tolerance.
  'spmv: two sums a lane': ['--atol', '1e-6', '--inputs-keep', 'starts'],
};

/** All right edits of bench/defects, and a bound of 1024 threads for each kernel, which changes how registers are given out. */
export const honest = [
  ...correct.map((entry) => ({ ...entry, options: settings[`${entry.kernel}: ${entry.name}`] ?? entry.options })),
  ...kernels.map(({ name }) =>
    right(
      'annotation',
      name,
      'launch bounds of 1024 threads',
      [[`__global__ void ${name}(`, `__global__ void __launch_bounds__(1024) ${name}(`]],
      'No launch has more.',
    ),
  ),
];

const warps = [1, 2, 8];
const stages = [1, 3];

/** Configurations of Triton's kernels: each may be compiled for any number of warps and stages. */
export const configurations = [
  ...['vector_add', 'sort', 'cumulate', 'dropout'].map((kernel) => ({ kernel, options: [] })),
  ...['softmax', 'layer_norm', 'matmul_first'].map((kernel) => ({
    kernel,
    options: ['--rtol', '1e-3', '--atol', '1e-3'],
  })),
].flatMap(({ kernel, options }) => [
  ...warps.map((count) => ({ kernel, options, name: `${count} warps`, option: 'num_warps', value: count })),
  ...stages.map((count) => ({ kernel, options, name: `${count} stages`, option: 'num_stages', value: count })),
]);

/** reproducer.py with another option. */
export function configured(script, { kernel, option, value }) {
  const pattern = new RegExp(`"${option}": \\d+`);
  if (!pattern.test(script)) throw new Error(`${kernel}: reproducer.py has no ${option}`);
  return script.replace(pattern, `"${option}": ${value}`);
}
