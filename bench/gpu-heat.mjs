// Tests whether one side of `replay --compare` slows the other by heat: for a kernel that draws maximum power and one
// that draws little, the time of each beside the other, divided by its time beside itself.
//   node bench/gpu-heat.mjs [iterations=200]
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, kernloopJson, must, root, rounded, workspace } from './gpu/host.mjs';

const iterations = process.argv[2] ?? '200';
const folder = workspace([]);
const app = join(folder, 'apps', 'heat');
mkdirSync(join(folder, 'apps'), { recursive: true });
cpSync(join(root, 'bench', 'gpu', 'heat'), app, { recursive: true });
must(kernloop(['extract', '--app', app], { cwd: folder }), 'extract');

/** Median times of the captured code and of an edit, in microseconds. */
function compared(kernel, from, to) {
  const reproducer = join(folder, 'kernels', 'heat', kernel);
  const file = join(reproducer, 'kernel_variant.cu');
  const captured = readFileSync(file, 'utf8');
  const at = captured.indexOf(from, captured.indexOf(`void ${kernel}(`));
  if (at < 0) throw new Error(`${kernel} has no ${from}`);
  writeFileSync(file, captured.slice(0, at) + to + captured.slice(at + from.length));
  must(kernloop(['recompile', '--reproducer', reproducer], { cwd: folder }), `recompile ${kernel}`);
  const command = [
    'replay',
    '--compare',
    '--reproducer',
    reproducer,
    '--iterations',
    iterations,
    '--limit-seconds',
    '120',
  ];
  const { result, text } = kernloopJson(command, { cwd: folder });
  writeFileSync(file, captured);
  if (result?.baseline?.duration_ns == null) throw new Error(`${kernel}: ${text.slice(-2000)}`);
  const microseconds = (side) => rounded(side.duration_ns.median / 1000, 1);
  return {
    captured_us: microseconds(result.baseline),
    variant_us: microseconds(result),
    speed: result.speed,
    doubts: result.doubts,
    conditions: result.conditions,
  };
}

/** Both comparisons of a kernel use the same captured code, so its times in them are comparable. */
const same = ['out[i] = sum == -1.0f', 'out[i] = sum == -2.0f'];
const hot = { alone: compared('mixed', ...same), beside: compared('mixed', 'kIsHot = true', 'kIsHot = false') };
const calm = { alone: compared('calm', ...same), beside: compared('calm', 'kIsHot = false', 'kIsHot = true') };
const row = (name, { alone, beside }) => [
  name,
  alone.captured_us,
  beside.captured_us,
  rounded(beside.captured_us / alone.captured_us, 4),
];
const rows = [row('hot', hot), row('calm', calm)];
conclude(
  'gpu-heat',
  { iterations: Number(iterations), hot, calm, hot_beside_calm: rows[0][3], calm_beside_hot: rows[1][3] },
  [['kernel', 'beside itself us', 'beside the other us', 'ratio'], ...rows],
  true,
);
