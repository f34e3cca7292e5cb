// Tasks through a real Slurm of two nodes on this machine (e2e/slurm-cluster.ts), on the software GPU: the same
// verdicts as here, a node killed in between, the cost of a job beside a local task, and cases too long for `npm test`:
// preemption, a time limit, a tune through a job array.
//   node bench/slurm.mjs [--copies 5] [--rounds 5] [--jobs 8] [--cases tasks,preempted,limit,tune] [--from WORKSPACE] [--write]
// The tasks are called in this process, so that a job is compared with a call; --from takes the reproducers of an
// existing workspace. Needs a native build, hipcc, and Debian's slurmctld, slurmd, slurm-client and munge. Measurements
// are on idle cores only if yours are idle.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
require('../bin/source.js');
const { validate: validateHere } = require('../cli/api.ts');
const { SlurmCluster, nodeNames } = require('../e2e/slurm-cluster.ts');

const { values } = parseArgs({
  options: {
    copies: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '8' },
    cases: { type: 'string', default: 'tasks,preempted,limit,tune' },
    from: { type: 'string' },
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

/** Runs `count` tasks at a time, and returns results in order. */
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
  if (values.from !== undefined) {
    cpSync(values.from, workspace, { recursive: true });
    const folder = join('kernels', 'hip-pipeline');
    return readdirSync(join(workspace, folder)).map((name) => join(folder, name));
  }
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
  // Every copy is a separate reproducer; every second copy of a kernel has wrong code.
  const projects = kernels.flatMap((kernel) =>
    Array.from({ length: copies }, (_, copy) => {
      const project = join('kernels', 'hip-pipeline', copy === 0 ? kernel : `${kernel}-${copy}`);
      if (copy > 0)
        cpSync(join(workspace, 'kernels', 'hip-pipeline', kernel), join(workspace, project), { recursive: true });
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

/** Called in this process and judged here or in a job; returns the verdict or error, and the time. */
async function validate({ project }, runner) {
  const startMs = performance.now();
  const said = [];
  const say = (text) => void said.push(text);
  const env = { ...environment, KERNLOOP_SOFTGPU_SEED: process.env.KERNLOOP_SOFTGPU_SEED, ...runner };
  const report = { info: say, warn: say, output: say, result: say };
  const verdict = await validateHere({ reproducer: join(workspace, project) }, { env, report }).then(
    ({ verdict, summary }) => ({ verdict, summary }),
    ({ code, what }) => ({ verdict: code, summary: what }),
  );
  return {
    verdict,
    ms: performance.now() - startMs,
    isAgain: said.some((text) => text.includes('submitting it again')),
  };
}

/** The seed of a round is a variable of this process, which child processes inherit. */
async function inRounds(projects, work) {
  const all = [];
  for (let seed = 1; seed <= rounds; seed += 1) {
    process.env.KERNLOOP_SOFTGPU_SEED = String(seed);
    all.push(
      ...(await together(projects, jobs, (project, at) => work({ project }, (seed - 1) * projects.length + at))),
    );
  }
  return all;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Checks for the same verdicts from both nodes, one of which is killed halfway. */
async function manyTasks(projects) {
  const count = rounds * projects.length;
  let killed = null;
  const there = await inRounds(projects, async (task, at) => {
    if (at === Math.floor(count / 2)) {
      // Waits until a job runs on the node.
      const onIt = ['--noheader', '--states=R', '--nodelist=d1'];
      await cluster.until('a job on d1', () => cluster.ask('squeue', ...onIt).trim() !== '');
      await cluster.kill('d1');
      killed = at;
    }
    return await validate(task, {});
  });
  const allocated = readFileSync(join(cluster.folder, 'log', 'slurmctld.log'), 'utf8');
  const jobsByNode = nodeNames.map((node) => [
    node,
    allocated.match(new RegExp(`JobId=\\d+ (?:NodeList=|in \\S+ on )${node}\\b`, 'g'))?.length ?? 0,
  ]);
  await cluster.restart('d1');
  const here = await inRounds(projects, (task) => validate(task, local));
  const same = (one, other) => JSON.stringify(one.verdict) === JSON.stringify(other.verdict);
  const different = there.flatMap((one, at) =>
    same(one, here[at]) ? [] : [{ there: one.verdict, here: here[at].verdict }],
  );
  const verdicts = {};
  for (const { verdict } of there) verdicts[verdict.verdict] = (verdicts[verdict.verdict] ?? 0) + 1;
  // One at a time and alternating, so that both see the same load.
  const alone = [];
  for (let round = 0; round < 11; round += 1) {
    const task = { project: projects[round % projects.length] };
    alone.push({ here: (await validate(task, local)).ms, there: (await validate(task, {})).ms });
  }
  const rounded = (of) => Math.round(median(alone.map(of)));
  return {
    tasks: count,
    reproducers: projects.length,
    atATime: jobs,
    nodeKilledAtTask: killed,
    verdicts,
    differentVerdicts: different,
    submittedAgain: there.filter(({ isAgain }) => isAgain).length,
    jobsByNode: Object.fromEntries(jobsByNode),
    oneTaskMs: {
      here: rounded((one) => one.here),
      there: rounded((one) => one.there),
      overhead: rounded((one) => one.there - one.here),
    },
  };
}

/** An app that prints when it runs, and then sleeps. */
function sleeper(name, slurm) {
  const command = ['/bin/sh', '-c', 'echo sleeping; exec sleep 600'];
  write(join('apps', name, 'kernloop.json'), { name, command, runner: { slurm } });
  return join('apps', name);
}

/** A job in a preemptible partition, and one that requests its node. */
async function preempted() {
  const profiled = sleeper('preempted', { partition: 'short', retries: 0, extra: ['--exclusive', '--nodelist=d2'] });
  const ended = await kernloop(['profile', '--app', profiled], {
    onText: once(/sleeping/, () => cluster.ask('srun', '--exclusive', '--nodelist=d2', 'true')),
  });
  return codeOf(ended);
}

async function timeLimit() {
  return codeOf(
    await kernloop(['profile', '--app', sleeper('limited', { partition: 'short', time: '1', retries: 0 })]),
  );
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
  return {
    candidates: here.rows.length,
    evaluated: there.evaluated,
    same: JSON.stringify(here) === JSON.stringify(there),
  };
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
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  const file = join(root, 'bench', 'results', 'slurm.json');
  // Cases that did not run now keep their earlier results.
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  if (values.write) writeFileSync(file, `${JSON.stringify({ ...before, ...result }, null, 2)}\n`);
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
