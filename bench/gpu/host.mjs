// Parts that the GPU benches share: where Kernloop is (a checkout or an unpacked bundle), how its verbs are run, and the record that is kept.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const packed = existsSync(join(root, 'node_modules', 'kernloop', 'package.json'));
export const packageRoot = packed ? join(root, 'node_modules', 'kernloop') : root;
export const native = packed
  ? join(root, 'node_modules', '@kernloop', 'native-linux-x64')
  : join(root, 'native', 'build');
const cli = join(packageRoot, 'bin', 'kernloop.js');

/** Runs a program to its end: exit code, seconds, output. Never throws. */
export function run(file, args, { cwd, env, limitSeconds = 300 } = {}) {
  const started = process.hrtime.bigint();
  const ended = spawnSync(file, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    timeout: limitSeconds * 1000,
  });
  return {
    code:
      ended.status ?? (ended.error?.code === 'ETIMEDOUT' ? 'time limit' : `${ended.signal ?? ended.error?.message}`),
    seconds: Number(process.hrtime.bigint() - started) / 1e9,
    text: `${ended.stdout ?? ''}${ended.stderr ?? ''}`,
    stdout: ended.stdout ?? '',
  };
}

/**
 * Processes side by side, as many as `width` at a time: [file, arguments, options of spawn]. Each result as run() gives it, without the
 * output's cap.
 */
export async function inParallel(width, commands) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < commands.length) {
      const index = next++;
      results[index] = await finished(...commands[index]);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

function finished(file, args, options) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
    child.on('error', (error) => resolve({ code: error.message, text }));
    child.on('close', (code, signal) => resolve({ code: code ?? signal, text }));
  });
}

/** A verb, as run() and inParallel() take a command. */
export const kernloopCommand = (args, options) => [process.execPath, [cli, ...args], options];
export const kernloop = (args, options) => run(...kernloopCommand(args, options));
/** With --json: the result, and what run() says. */
export function kernloopJson(args, options) {
  const ended = kernloop([...args, '--json'], options);
  let result;
  try {
    ({ result } = JSON.parse(ended.stdout));
  } catch {
    result = undefined;
  }
  return { ...ended, result };
}

/** A failure of the bench itself; results of Kernloop are recorded, not thrown. */
export function must(ended, what) {
  if (ended.code !== 0) throw new Error(`${what} ended with ${ended.code}:\n${ended.text.slice(-3000)}`);
  return ended;
}

/** A workspace with copies of these examples, removed at the end. */
export function workspace(examples) {
  const folder = mkdtempSync(join(process.env.KERNLOOP_BENCH_DIR ?? tmpdir(), 'kernloop-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'nx.json'), '{}\n');
  for (const example of examples) {
    mkdirSync(join(folder, 'apps'), { recursive: true });
    cpSync(join(root, 'examples', example), join(folder, 'apps', example), {
      recursive: true,
      filter: (source) => !/\/(build|kernels)$/.test(source) || source.endsWith('cuda-pipeline/kernels'),
    });
  }
  return folder;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Linear interpolation between the nearest ranks. */
export function quantile(values, fraction) {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const low = Math.floor(position);
  return sorted[low] + ((sorted[Math.ceil(position)] ?? sorted[low]) - sorted[low]) * (position - low);
}

export const rounded = (value, digits = 3) => Number(value.toFixed(digits));

function machine() {
  const gpu = run('nvidia-smi', ['--query-gpu=name,driver_version,memory.total', '--format=csv,noheader']);
  const cuda = run('nvcc', ['--version']).text.match(/release ([\d.]+)/)?.[1];
  return {
    gpu: gpu.code === 0 ? gpu.stdout.trim().split('\n') : [],
    cuda_toolkit: cuda ?? 'none',
    cpu: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    system: existsSync('/etc/os-release')
      ? /PRETTY_NAME="(.*)"/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
      : '',
  };
}

/** Prints the table last, and writes the record that is committed as evidence. */
export function conclude(bench, record, rows, ok) {
  const result = {
    bench,
    date: new Date().toISOString().slice(0, 16) + 'Z',
    command: `node bench/${basename(process.argv[1])}${process.argv
      .slice(2)
      .map((word) => ` ${word}`)
      .join('')}`,
    machine: machine(),
    ok,
    ...record,
  };
  const folder = process.env.KERNLOOP_BENCH_RESULTS ?? join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => String(cell).padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  console.log(`${bench}: ${ok ? 'ok' : 'NOT OK'}`);
  process.exitCode = ok ? 0 : 1;
}
