// Cost of counting for a profile in executed wave-instructions on the software GPU: kernels with counters against the
// same without, from thousands of instructions per wave down to tens.
//   node bench/pgo-overhead.mjs [targets=gfx90a,gfx1030]      into bench/results/pgo-overhead.json
// Needs `npm run build:native` with LLVM 22.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');
const build = join(root, 'native', 'build');
const targets = (process.argv[2] ?? 'gfx90a,gfx1030').split(',');
/** Instructions per wave from which on the default should cost at most a tenth. */
const longWave = 1000;
const byDefault = 'sparse:32';
const samplings = ['all', 'blocks:8', byDefault];
const option = (value) => ['-Xclang', '-mllvm', '-Xclang', value];

function compile(target, file, options) {
  const source = join(root, 'native', 'pgo', 'pass', 'test', 'kernels.hip');
  const words = ['-x', 'hip', '--cuda-device-only', '--no-gpu-bundle-output', '-nogpuinc', '-nogpulib'];
  words.push(`--offload-arch=${target}`, '-mcode-object-version=4', '-O3', source, '-o', file, ...options);
  execFileSync('clang++-22', words, { stdio: 'inherit' });
  return file;
}

function measure(target, folder) {
  const plugin = `-fpass-plugin=${join(build, 'lib', 'kernloop-pgo-pass-22.so')}`;
  const files = [compile(target, join(folder, `${target}-plain.co`), [])];
  for (const sampling of samplings) {
    const options = ['-kernloop-pgo=generate', `-kernloop-pgo-sample=${sampling}`].flatMap(option);
    files.push(compile(target, join(folder, `${target}-${sampling.replace(':', '-')}.co`), [plugin, ...options]));
  }
  const printed = execFileSync(join(build, 'bin', 'pgo_pass_overhead'), [target, ...files], { encoding: 'utf8' });
  return printed
    .trim()
    .split('\n')
    .map((line) => {
      const { kernel, rounds, waves, wave_instructions: executed } = JSON.parse(line);
      const overhead = Object.fromEntries(
        samplings.map((sampling, i) => [sampling, Number((executed[i + 1] / executed[0] - 1).toFixed(4))]),
      );
      return { target, kernel, rounds, instructions_per_wave: Math.round(executed[0] / waves), overhead };
    });
}

execFileSync('ninja', ['-C', build, 'pgo_pass_overhead', 'kernloop_pgo_pass'], { stdio: 'ignore' });
const folder = mkdtempSync(join(tmpdir(), 'kernloop-pgo-overhead-'));
try {
  const rows = targets.flatMap((target) => measure(target, folder));
  const percent = (share) => `${(100 * share).toFixed(1)} %`.padStart(10);
  for (const row of rows)
    console.log(
      `${row.target.padEnd(8)} ${`${row.kernel} ${row.rounds}`.padEnd(18)} ${String(row.instructions_per_wave).padStart(7)} a wave`,
      ...samplings.map((sampling) => `${sampling} ${percent(row.overhead[sampling])}`),
    );
  const long = rows.filter((row) => row.instructions_per_wave >= longWave);
  const worst = Math.max(...long.map((row) => row.overhead[byDefault]));
  console.log(
    `default sampling, ${long.length} cases of ${longWave} instructions a wave or more: at most ${percent(worst).trim()}`,
  );
  writeFileSync(
    join(root, 'bench', 'results', 'pgo-overhead.json'),
    `${JSON.stringify({ default_sampling: byDefault, worst_of_long_waves: worst, rows }, null, 2)}\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
