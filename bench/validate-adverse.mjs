// Cost of the adverse order: seconds of a whole `kernloop validate` of the captured code, with it and with
// --no-adverse, on the software GPU.
//   node bench/validate-adverse.mjs [--rounds 5] [--scales 4,32]
// Runs alternate, and each figure is the minimum of all rounds. Prints one JSON object.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({ options: { rounds: { type: 'string' }, scales: { type: 'string' } } });
const rounds = Number(options.rounds ?? 5);
const scales = (options.scales ?? '4,32').split(',').map(Number);
const kernels = ['add', 'matmul', 'histogram', 'reduce'];

const workspace = mkdtempSync(join(tmpdir(), 'kernloop-bench-'));
process.on('exit', () => rmSync(workspace, { recursive: true, force: true }));
const environment = { ...process.env, HIP_PLATFORM: 'amd' };
const program = join(workspace, 'program');
execFileSync('hipcc', ['-O3', '--offload-arch=gfx90a', join(root, 'bench', 'softgpu', 'validate.hip'), '-o', program], {
  env: environment,
  stdio: ['ignore', 'ignore', 'inherit'],
});
writeFileSync(join(workspace, 'nx.json'), '{}\n');

function kernloop(...args) {
  const started = process.hrtime.bigint();
  const run = spawnSync(process.execPath, [join(root, 'bin', 'kernloop.js'), ...args], {
    cwd: workspace,
    env: environment,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`${args.join(' ')} ended with ${run.status}:\n${run.stdout}${run.stderr}`);
  return Number(process.hrtime.bigint() - started) / 1e9;
}

function extract(scale) {
  const app = join(workspace, `app${scale}`);
  mkdirSync(app);
  writeFileSync(
    join(app, 'kernloop.json'),
    JSON.stringify({
      name: `scale${scale}`,
      command: [program, String(scale)],
      kernels: kernels.map((name) => ({ name, match: `^${name}\\(` })),
    }),
  );
  kernloop('extract', '--app', app);
}

const rounded = (value) => Number(value.toFixed(2));
function measure(scale, kernel) {
  const reproducer = join(workspace, 'kernels', `scale${scale}`, kernel);
  const least = { with: Infinity, without: Infinity };
  for (let round = 0; round < rounds; round += 1) {
    const validate = ['validate', '--reproducer', reproducer, '--variant', 'none'];
    least.with = Math.min(least.with, kernloop(...validate));
    const { adverse } = JSON.parse(readFileSync(join(reproducer, 'report.json'), 'utf8'));
    least.wave_instructions = adverse.of_wave_instructions;
    least.adverse_wave_instructions = adverse.wave_instructions;
    least.without = Math.min(least.without, kernloop(...validate, '--no-adverse'));
  }
  return {
    kernel,
    scale,
    wave_instructions: least.wave_instructions,
    adverse_wave_instructions: least.adverse_wave_instructions,
    seconds_without: rounded(least.without),
    seconds_with: rounded(least.with),
    ratio: rounded(least.with / least.without),
  };
}

const results = scales.flatMap((scale) => {
  extract(scale);
  return kernels.map((kernel) => measure(scale, kernel));
});
console.log(
  JSON.stringify(
    {
      bench: 'validate-adverse',
      device: 'softgpu gfx90a',
      host: { cpu: cpus()[0]?.model, threads: availableParallelism() },
      rounds,
      results,
      worst_ratio: Math.max(...results.map(({ ratio }) => ratio)),
    },
    null,
    2,
  ),
);
