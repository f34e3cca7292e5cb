// Progress of the repository's own scripts: one line per step, with its current activity while it runs long.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const logDirectory = join(root, '.kernloop', 'logs');

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/**
 * A step that cannot continue: what happened, what to do, and the exit code (DESIGN.md: 5 = the environment lacks
 * something).
 */
export class StepError extends Error {
  constructor(message, hint, exitCode = 1) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** Ended steps with their times, for `phases`. */
const ended = [];
/**
 * CPU seconds of all programs that ended so far, with their descendants. The kernel counts those of a program when its
 * parent takes note of its end, so that the difference between two readings belongs to the programs that ended between.
 */
function endedCpuSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  const ticksPerSecond = 100;
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
let cpuSecondsSeen = 0;

/** Programs that may be stopped when a step beside them fails. */
const stoppable = new Set();

/**
 * Runs a program as a named step. Its whole output goes to a log file; a sign of life is printed every 10 s; on failure
 * the last lines are shown. `inherit` shows the output directly instead; `progress` shortens the line quoted in the
 * sign of life; a program with `runsToItsEnd` is not stopped when a parallel step fails.
 */
export async function step(name, file, args, options = {}) {
  const { cwd = root, env = {}, inherit = false, allowFailure = false, runsToItsEnd = false } = options;
  const { progress = (line) => line } = options;
  const started = Date.now();
  mkdirSync(logDirectory, { recursive: true });
  const logPath = join(logDirectory, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.log`);
  const log = createWriteStream(logPath);
  const tail = [];
  process.stdout.write(`▸ ${name}\n`);
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', inherit ? 'inherit' : 'pipe', inherit ? 'inherit' : 'pipe'],
  });
  if (!runsToItsEnd) stoppable.add(child);
  const keep = (data) => {
    log.write(data);
    for (const line of data.toString().split('\n')) {
      if (line.trim()) tail.push(line);
    }
    tail.splice(0, Math.max(0, tail.length - 40));
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const heartbeat = setInterval(() => {
    const last = progress(tail.at(-1)?.trim() ?? '').slice(0, 100);
    process.stdout.write(`  … ${name}: ${seconds(started)}${last ? ` (${last})` : ''}\n`);
  }, 10_000);
  const stop = () => child.kill('SIGINT');
  process.once('SIGINT', stop);
  let cpuSeconds = 0;
  child.on('exit', () => {
    const now = endedCpuSeconds();
    cpuSeconds = now - cpuSecondsSeen;
    cpuSecondsSeen = now;
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new StepError(`${name}: cannot run ${file}: ${error.message}`)));
    child.on('close', (exit, signal) => resolve(exit ?? (signal ? 130 : 1)));
  }).finally(async () => {
    clearInterval(heartbeat);
    stoppable.delete(child);
    process.removeListener('SIGINT', stop);
    await new Promise((written) => log.end(written));
  });
  if (code !== 0 && !allowFailure) {
    if (!inherit) process.stdout.write(tail.map((line) => `    ${line}\n`).join(''));
    throw new StepError(
      `${name} failed with exit code ${code}`,
      `the whole output is in ${relativeToRoot(logPath)}`,
      code === 130 ? 130 : 1,
    );
  }
  process.stdout.write(`  ${name}: ${code === 0 ? 'done' : `exit code ${code}`} in ${seconds(started)}\n`);
  ended.push({ name, start: started, milliseconds: Date.now() - started, cpuSeconds });
  return { code, tail, logPath, milliseconds: Date.now() - started };
}

/** Steps so far: `start`, `seconds` and `cpuSeconds`, all in seconds, `start` relative to the first step's start. */
export const phases = () =>
  ended.map(({ name, start, milliseconds, cpuSeconds }) => ({
    name,
    start: Math.round((start - Math.min(...ended.map((step) => step.start))) / 100) / 10,
    seconds: Math.round(milliseconds / 100) / 10,
    cpuSeconds: Math.round(cpuSeconds * 10) / 10,
  }));

/** Failures in the order in which they happened: later ones may be consequences of the first. */
const failures = [];

/**
 * Runs several tasks at once. When one fails, the programs of the others are stopped, and the first failure is thrown
 * once all have ended.
 */
export async function together(...tasks) {
  await Promise.all(
    tasks.map((task) =>
      task().catch((error) => {
        failures.push(error);
        for (const child of stoppable) child.kill('SIGTERM');
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
}

export const relativeToRoot = (path) => (path.startsWith(root) ? path.slice(root.length + 1) : path);

/** Runs a script's main function; an expected failure becomes a message and an exit code, never a stack trace. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    process.stderr.write(`\nerror: ${error.message}\n${error.hint ? `  → ${error.hint}\n` : ''}`);
    process.exitCode = error.exitCode;
  }
}

/** Formats left-aligned columns; the first row is the head. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows
    .map(
      (row) =>
        '  ' +
        row
          .map((cell, column) => String(cell).padEnd(widths[column]))
          .join('   ')
          .trimEnd(),
    )
    .join('\n');
}

export const phaseTable = (steps) =>
  table([
    ['step', 'from', 'seconds', 'CPU seconds'],
    ...steps.map(({ name, start, seconds, cpuSeconds }) => [
      name,
      ...[start, seconds, cpuSeconds].map((value) => value.toFixed(1)),
    ]),
  ]);
