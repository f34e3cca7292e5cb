// Cost of verdicts compared with an earlier version: seconds of a whole `validate` and of a whole `replay --compare` of
// right edits, alternating.
//   node bench/verdict-cost.mjs --before FOLDER [--after FOLDER] [--device softgpu|cuda] [--rounds 7]
// FOLDER contains node_modules/kernloop of a version; --after defaults to this checkout or bundle. Medians, and their
// ratios.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { conclude, median, must, packageRoot, root, rounded, run, workspace } from './gpu/host.mjs';

const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string' },
    device: { type: 'string', default: 'softgpu' },
    rounds: { type: 'string', default: '7' },
  },
});
if (!options.before) throw new Error('--before FOLDER: where node_modules/kernloop of the earlier version is');
const rounds = Number(options.rounds);
const onCuda = options.device === 'cuda';

const installed = (folder) => (folder ? join(folder, 'node_modules', 'kernloop') : packageRoot);
const sides = { before: installed(options.before), after: installed(options.after) };

/** Kernel, and a right edit that changes its code. */
const edits = onCuda
  ? [
      ['scale', ['__global__ void scale', '__global__ void __launch_bounds__(512) scale']],
      ['block_sums', ['for (int step', '\n#pragma unroll 2\n  for (int step']],
      [
        'collect_records',
        [
          'const unsigned place = atomicAdd(count, 1u);',
          'const unsigned mask = __activemask(), lane = threadIdx.x % 32, leader = __ffs(mask) - 1;\n  unsigned first = 0;\n  if (lane == leader) first = atomicAdd(count, __popc(mask));\n  const unsigned place = __shfl_sync(mask, first, leader) + __popc(mask & ((1u << lane) - 1));',
        ],
      ],
    ]
  : [
      ['add', ['a[i] + b[i]', '__builtin_nontemporal_load(&a[i]) + b[i]']],
      ['matmul', ['for (int j = 0;', '\n#pragma unroll 2\n    for (int j = 0;']],
      ['histogram', ['for (int i = ', '\n#pragma unroll 2\n  for (int i = ']],
      ['reduce', ['*out = sum', '__builtin_nontemporal_store(sum, out)']],
    ];
const scales = onCuda ? [''] : ['4', '32'];

/** A workspace for one side, with the reproducers of an app. */
function prepared(side, scale) {
  const folder = workspace([]);
  const app = join(folder, 'apps', 'app');
  mkdirSync(app, { recursive: true });
  if (onCuda) {
    cpSync(join(root, 'bench', 'gpu', 'verdicts'), app, { recursive: true });
  } else {
    cpSync(join(root, 'bench', 'softgpu', 'validate.hip'), join(app, 'validate.hip'));
    const kernels = edits.map(([name]) => ({ name, match: `^${name}\\(` }));
    const command = ['build/validate', scale];
    const build = {
      command: ['hipcc', '-O3', '--offload-arch=gfx90a', 'validate.hip', '-o', 'build/validate'],
      outputs: ['build'],
    };
    mkdirSync(join(app, 'build'));
    writeFileSync(join(app, 'kernloop.json'), JSON.stringify({ name: 'app', command, build, source: '.', kernels }));
  }
  const kernloop = (...args) =>
    must(
      run(process.execPath, [join(sides[side], 'bin', 'kernloop.js'), ...args], {
        cwd: folder,
        env: { HIP_PLATFORM: 'amd' },
      }),
      `${side}: ${args.join(' ')}`,
    );
  const name = onCuda ? JSON.parse(readFileSync(join(app, 'kernloop.json'), 'utf8')).name : 'app';
  kernloop('extract', '--app', app);
  for (const [kernel, [from, to]] of edits) {
    const reproducer = join(folder, 'kernels', name, kernel);
    const { variant } = JSON.parse(readFileSync(join(reproducer, 'pristine', 'recipe.json'), 'utf8'));
    const file = join(reproducer, variant.file);
    const text = readFileSync(file, 'utf8');
    const at = text.indexOf(from, text.search(new RegExp(`void( __launch_bounds__\\(\\d+\\))? ${kernel}\\(`)));
    const start = at < 0 ? text.indexOf(from) : at;
    if (start < 0) throw new Error(`${file} has no ${from}`);
    writeFileSync(file, text.slice(0, start) + to + text.slice(start + from.length));
    kernloop('recompile', '--reproducer', reproducer);
  }
  return (verb, kernel) => kernloop(...verb, '--reproducer', join(folder, 'kernels', name, kernel)).seconds;
}

const verbs = { validate: ['validate'], compare: ['replay', '--compare'] };
const results = [];
for (const scale of scales) {
  const sideOf = { before: prepared('before', scale), after: prepared('after', scale) };
  for (const [kernel] of edits) {
    for (const [name, verb] of Object.entries(verbs)) {
      const seconds = { before: [], after: [] };
      for (let round = 0; round < rounds; round += 1)
        for (const side of round % 2 ? ['after', 'before'] : ['before', 'after'])
          seconds[side].push(sideOf[side](verb, kernel));
      const before = median(seconds.before);
      const after = median(seconds.after);
      results.push({
        kernel,
        ...(scale === '' ? {} : { scale: Number(scale) }),
        verb: name,
        seconds_before: rounded(before),
        seconds_after: rounded(after),
        ratio: rounded(after / before),
      });
      console.error(JSON.stringify(results.at(-1)));
    }
  }
}
const ratios = (verb) => results.filter((result) => result.verb === verb).map(({ ratio }) => ratio);
const summary = { validate: rounded(median(ratios('validate'))), compare: rounded(median(ratios('compare'))) };

const rows = [
  ['kernel', 'verb', 'before s', 'after s', 'ratio'],
  ...results.map(({ kernel, scale, verb, seconds_before: before, seconds_after: after, ratio }) => [
    scale === undefined ? kernel : `${kernel} ${scale}`,
    verb,
    before,
    after,
    ratio,
  ]),
];
// Issue 32 allows 1.2.
conclude(
  `verdict-cost-${options.device}`,
  { rounds, results, median_ratio: summary },
  rows,
  Math.max(...Object.values(summary)) <= 1.2,
);
