// Tasks through a real Slurm of two nodes on this machine (e2e/slurm-cluster.ts), on the software GPU: the same verdicts as here, a node killed
// in between, what a job costs beside a task here, and what takes too long for `npm test`: preemption, a time limit, a tune through a job array.
//   node bench/slurm.mjs [--copies 5] [--rounds 5] [--jobs 4] [--cases tasks,preempted,limit,tune] [--write]
// Wants a native build, hipcc, and Debian's slurmctld, slurmd, slurm-client and munge. Nothing is measured on idle cores unless yours are.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
require('../bin/source.js');
const { SlurmCluster, nodeNames } = require('../e2e/slurm-cluster.ts');

const { values } = parseArgs({
  options: {
    copies: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '4' },
    cases: { type: 'string', default: 'tasks,preempted,limit,tune' },
    write: { type: 'boolean', default: false },
  },
});
const [copies, rounds, jobs] = [values.copies, values.rounds, values.jobs].map(Number);
const cases = values.cases.split(',');

const workspace = mkdtempSync(join(tmpdir(), 'kernloop-slurm-bench-'));
const cluster = await SlurmCluster.start();
const environment = { ...process.env, ...cluster.env, HIP_PLATFORM: 'amd' };
const write = (path, content) => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
};

function kernloop(args, { env = {}, onText = () => undefined } = {}) {
  return new Promise((resolve) => {
    const startMs = performance.now();
    const child = spawn(process.execPath, [join(root, 'bin', 'kernloop.js'), ...args], {
      cwd: workspace,
      env: { ...environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = { stdout: '', text: '' };
    child.stdout.on('data', (data) => {
      ended.stdout += data;
      ended.text += data;
      onText(ended.text);
    });
    child.stderr.on('data', (data) => {
      ended.text += data;
      onText(ended.text);
    });
    child.on('close', (code) => resolve({ ...ended, code, ms: performance.now() - startMs }));
  });
}

function must({ code, text }, what) {
  if (code !== 0) throw new Error(`${what}: ${text}`);
}

/** So many at a time, in order. */
async function together(tasks, count, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < tasks.length; index = next++) results[index] = await work(tasks[index], index);
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}

const app = join('apps', 'hip-pipeline');
const local = { KERNLOOP_RUNNER: 'local' };

async function prepare() {
  write('package.json', { name: 'workspace', private: true });
  write('nx.json', {});
  cpSync(join(root, 'examples', 'hip-pipeline'), join(workspace, app), {
    recursive: true,
    filter: (path) => !/\/(build|capture)$/.test(path),
  });
  must(await kernloop(['extract', '--app', app]), 'extract');
  const config = JSON.parse(readFileSync(join(workspace, app, 'kernloop.json'), 'utf8'));
  write(join(app, 'kernloop.json'), { ...config, runner: { slurm: {} } });
  const kernels = readdirSync(join(workspace, 'kernels', 'hip-pipeline'));
  // Every copy is a reproducer of its own; of one kernel each second copy has wrong code.
  const projects = kernels.flatMap((kernel) =>
    Array.from({ length: copies }, (_, copy) => {
      const project = join('kernels', 'hip-pipeline', copy === 0 ? kernel : `${kernel}-${copy}`);
      if (copy > 0) cpSync(join(workspace, 'kernels', 'hip-pipeline', kernel), join(workspace, project), { recursive: true });
      return { project, kernel, copy };
    }),
  );
  for (const { project } of projects.filter(({ kernel, copy }) => kernel === 'saxpy' && copy % 2 === 1)) {
    const source = join(workspace, project, 'kernel_variant.hip');
    const text = readFileSync(source, 'utf8');
    const edited = text.replace(/(\bvoid saxpy\([^)]*\)\s*\{)/, '$1 if (threadIdx.x == 3) return;');
    if (edited === text) throw new Error('the edit of saxpy changed nothing');
    writeFileSync(source, edited);
    must(await kernloop(['recompile', '--reproducer', project], { env: local }), 'recompile');
  }
  return projects.map(({ project }) => project);
}

const verdictOf = ({ code, stdout }) => {
  const { result, error } = JSON.parse(stdout);
  return { code, verdict: result?.verdict ?? error.code, summary: result?.summary ?? error.message };
};
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Same verdicts, both nodes, one of them killed at the middle. */
async function manyTasks(projects) {
  const tasks = Array.from({ length: rounds }, (_, seed) => projects.map((project) => ({ project, seed }))).flat();
  const validate = ({ project, seed }, env = {}) =>
    kernloop(['validate', '--reproducer', project, '--json'], { env: { KERNLOOP_SOFTGPU_SEED: String(seed + 1), ...env } });
  const nodes = new Map();
  let begun = 0;
  let killed = null;
  const there = await together(tasks, jobs, async (task) => {
    begun += 1;
    if (begun === Math.floor(tasks.length / 2)) {
      // Once something runs on it.
      await cluster.until('a job on d1', () => cluster.ask('squeue', '--noheader', '--states=R', '--nodelist=d1').trim() !== '');
      await cluster.kill('d1');
      killed = begun;
    }
    return await validate(task);
  });
  for (const line of cluster.ask('squeue', '--noheader', '--states=all', '--format=%N').split('\n').filter(Boolean))
    nodes.set(line, (nodes.get(line) ?? 0) + 1);
  await cluster.restart('d1');
  const here = await together(tasks, Math.min(jobs, 2), (task) => validate(task, local));
  const different = tasks.filter((_, at) => JSON.stringify(verdictOf(here[at])) !== JSON.stringify(verdictOf(there[at])));
  const verdicts = {};
  for (const task of there) verdicts[verdictOf(task).verdict] = (verdicts[verdictOf(task).verdict] ?? 0) + 1;
  // One at a time, in turns, so that both see the same load.
  const alone = [];
  for (let round = 0; round < 15; round += 1) {
    const task = tasks[round % tasks.length];
    alone.push({ here: (await validate(task, local)).ms, there: (await validate(task)).ms });
  }
  const again = there.filter(({ text }) => /submitting it again/.test(text)).length;
  return {
    tasks: tasks.length,
    reproducers: projects.length,
    atATime: jobs,
    killedAtTask: killed,
    verdicts,
    differentVerdicts: different,
    submittedAgain: again,
    jobsByNodeStillKnown: Object.fromEntries(nodes),
    oneTaskMs: {
      here: median(alone.map((one) => one.here)),
      there: median(alone.map((one) => one.there)),
      overhead: median(alone.map((one) => one.there - one.here)),
    },
  };
}

/** An app that says when it runs, and then does nothing. */
function sleeper(name, slurm) {
  const command = ['/bin/sh', '-c', 'echo sleeping; exec sleep 600'];
  write(join('apps', name, 'kernloop.json'), { name, command, runner: { slurm } });
  return join('apps', name);
}

/** A job in a partition whose jobs give way, and one that wants its node. */
async function preempted() {
  const profiled = sleeper('preempted', { partition: 'short', retries: 0, extra: ['--exclusive', '--nodelist=d2'] });
  const ended = await kernloop(['profile', '--app', profiled], {
    onText: once(/sleeping/, () => spawnSync('srun', ['--exclusive', '--nodelist=d2', 'true'], { env: environment })),
  });
  return codeOf(ended);
}

async function timeLimit() {
  return codeOf(await kernloop(['profile', '--app', sleeper('limited', { partition: 'short', time: '1', retries: 0 })]));
}

async function tune(project) {
  const tiles = ['--set', 'PIPELINE_TILE=4,8,16', '--block', 'PIPELINE_TILE,PIPELINE_TILE'];
  const grid = ['--grid', 'n // PIPELINE_TILE, n // PIPELINE_TILE'];
  const words = ['tune', '--reproducer', project, ...tiles, ...grid, '--fresh', '--json'];
  const [there, here] = [await kernloop(words), await kernloop(words, { env: local })].map((ended) => {
    must(ended, 'tune');
    const { candidates, best, evaluated } = JSON.parse(ended.stdout).result;
    const rows = candidates.map(({ key, status, score }) => ({ key, status, score }));
    return { rows, best, evaluated };
  });
  return { candidates: here.rows.length, evaluated: there.evaluated, same: JSON.stringify(here) === JSON.stringify(there) };
}

const codeOf = ({ text }) => /\[(\w+)\]\n/.exec(text)?.[1] ?? text;

function once(pattern, then) {
  let done = false;
  return (text) => {
    if (done || !pattern.test(text)) return;
    done = true;
    then();
  };
}

try {
  const projects = await prepare();
  const result = {
    schema: 'kernloop.bench-slurm/1',
    slurm: cluster.ask('sinfo', '--version').trim(),
    machine: `${cpus().length} cores, ${cpus()[0]?.model}; load ${loadavg()[0].toFixed(1)} at the start`,
    nodes: nodeNames.length,
    ...(cases.includes('tasks') ? { tasks: await manyTasks(projects) } : {}),
    ...(cases.includes('preempted') ? { preempted: await preempted() } : {}),
    ...(cases.includes('limit') ? { timeLimit: await timeLimit() } : {}),
    ...(cases.includes('tune') ? { tune: await tune(join('kernels', 'hip-pipeline', 'matmul_tiled')) } : {}),
    loadAtEnd: loadavg()[0],
  };
  const text = `${JSON.stringify(result, null, 2)}\n`;
  process.stdout.write(text);
  if (values.write) writeFileSync(join(root, 'bench', 'results', 'slurm.json'), text);
  const isBad =
    result.tasks?.differentVerdicts.length > 0 ||
    (result.preempted ?? 'SLURM_PREEMPTED') !== 'SLURM_PREEMPTED' ||
    (result.timeLimit ?? 'SLURM_TIME_LIMIT') !== 'SLURM_TIME_LIMIT' ||
    result.tune?.same === false;
  process.exitCode = isBad ? 1 : 0;
} finally {
  await cluster.remove();
  rmSync(workspace, { recursive: true, force: true });
}
