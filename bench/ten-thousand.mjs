// Cost of the plugin with ten thousand reproducers in one workspace.
//   node bench/ten-thousand.mjs [--counts 1000,3000,10000] [--nx 1000,10000] [--limit-minutes 10] [--dist DIR] [--work DIR] [--write NAME]
// Needs `npm run build`. The plugin is measured in separate processes, through the functions that Nx calls: CPU time,
// file system calls, memory, and the size of all variables in the environment of each task's process. Nx's own cost is
// not included. --nx measures commands of Nx in workspaces of such sizes, each in a fresh process without a daemon, and
// the same commands with a plugin that gives each kernel.json one cached target that does nothing, which shows Nx's own
// cost. An all-hit run-many needs results of every task: a remote cache with Nx's self-hosted protocol, started here,
// answers every request with the result of a task that did nothing. Every task of the graph is thus hashed, looked up
// and found, without any capture. Prints one JSON object, and writes it to bench/results/NAME.json with --write.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '1000,3000,10000' },
    dist: { type: 'string', default: join(root, 'dist') },
    work: { type: 'string' },
    write: { type: 'string' },
    apps: { type: 'string', default: '10' },
    nx: { type: 'string', default: '' },
    'limit-minutes': { type: 'string', default: '10' },
  },
});
const sizes = (text) => text.split(',').filter(Boolean).map(Number);
const work = values.work ?? mkdtempSync(join(tmpdir(), 'kernloop-ten-thousand-'));
const apps = Number(values.apps);

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}

const digest = 'a'.repeat(64);

/** A workspace with `count` reproducers of ten apps, each with a source, a recipe, and a capture that git ignores. */
function workspace(count, plugin) {
  const folder = join(work, `${plugin}-${count}`);
  write(join(folder, 'package.json'), { name: 'workspace', private: true });
  write(join(folder, 'nx.json'), {
    plugins: [plugin === 'inert' ? './inert.cjs' : 'kernloop/plugin'],
    cacheDirectory: '.nx/cache',
    analytics: false,
  });
  write(join(folder, '.gitignore'), 'node_modules\n.nx\n.kernloop\nbuild\ncapture\nreport.json\n');
  const kernels = Array.from({ length: apps }, () => []);
  for (let index = 0; index < count; index += 1) {
    const app = `app${index % apps}`;
    const name = `kernel_${index}`;
    kernels[index % apps].push({ name, match: `^${name}\\(` });
    const reproducer = join(folder, 'kernels', app, name);
    write(join(reproducer, 'kernel.json'), {
      ...{
        name,
        app: { name: app, root: `apps/${app}` },
        symbol: `_Z5${name}Pff`,
        demangled: `${name}(float*, float)`,
      },
      code_object: digest,
      device: { kind: 'softgpu', isa: 'amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-' },
      selection: { match: `^${name}`, ordinal: 1, scope: 'reachable' },
      language: 'hip',
      source: {
        file: `apps/${app}/k.hip`,
        line: 1,
        translation_unit: `apps/${app}/k.hip`,
        variant: 'kernel_variant.hip',
      },
      args: [],
    });
    const source = `__global__ void ${name}(float* x, float a) { x[0] = a; }\n`;
    const files = { 'kernel_variant.hip': { sha256: createHash('sha256').update(source).digest('hex') } };
    for (const part of ['', 'pristine/']) {
      write(join(reproducer, `${part}kernel_variant.hip`), source);
      write(join(reproducer, `${part}recipe.json`), { files, variant: { stands_for: 'k.hip' } });
    }
    write(join(reproducer, 'capture', 'capture.json'), { schema: 'kernloop.capture/1', regions: [] });
    write(join(reproducer, 'capture', 'selfcheck.json'), { schema: 'kernloop.selfcheck/1' });
    write(join(reproducer, 'capture', 'chunks.pack'), 'pack');
  }
  kernels.forEach((some, index) => {
    write(join(folder, 'apps', `app${index}`, 'kernloop.json'), {
      ...{ name: `app${index}`, command: ['./program'], kernels: some },
    });
  });
  return folder;
}

/** Runs the functions that Nx calls in a separate process, and counts file system calls. */
const own = `
const fs = require('node:fs');
const calls = {};
for (const name of ['readFileSync', 'existsSync', 'statSync', 'lstatSync', 'readdirSync', 'openSync']) {
  const real = fs[name];
  // A descriptor belongs to a file that was counted when it was opened.
  fs[name] = (...args) => ((calls[name] = (calls[name] ?? 0) + (typeof args[0] === 'number' ? 0 : 1)), real(...args));
}
const [dist, folder, listed] = process.argv.slice(1);
const { createNodes, preTasksExecution } = require(dist + '/plugins/kernel/plugin.js');
const workspaceContext = require(require.resolve('nx/src/utils/workspace-context.js', { paths: [dist] }));
const files = JSON.parse(fs.readFileSync(listed, 'utf8'));
workspaceContext.globWithWorkspaceContext = async () => files;
const taken = async (work) => {
  for (const name of Object.keys(calls)) calls[name] = 0;
  const cpu = process.cpuUsage(), begin = performance.now();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return [{ wall_ms: performance.now() - begin, cpu_ms: (user + system) / 1000, calls: { ...calls } }, value];
};
(async () => {
  process.chdir(folder);
  const before = Object.keys(process.env).length;
  const [nodes, made] = await taken(() => createNodes[1](files, undefined, { workspaceRoot: folder, nxJsonConfiguration: {} }));
  const [tasks] = await taken(() => preTasksExecution(undefined, { workspaceRoot: folder, argv: ['run-many', '-t', 'validate'] }));
  const environment = Object.entries(process.env).reduce((sum, [name, value]) => sum + name.length + value.length + 2 + 8, 0);
  const spawned = require('node:child_process').spawnSync('true').error?.code ?? 'ok';
  process.stdout.write(JSON.stringify({ projects: made.length, nodes, tasks, peak_mib: process.resourceUsage().maxRSS / 1024,
    variables: Object.keys(process.env).length - before, environment_bytes: environment, spawned }));
})();
`;

function ownPart(count) {
  const folder = workspace(count, 'kernloop');
  const listed = join(work, 'files.json');
  const kernels = Array.from({ length: count }, (_, index) => `kernels/app${index % apps}/kernel_${index}/kernel.json`);
  write(listed, [...Array.from({ length: apps }, (_, index) => `apps/app${index}/kernloop.json`), ...kernels]);
  const env = { ...process.env, KERNLOOP_NATIVE_DIR: process.env.KERNLOOP_NATIVE_DIR ?? join(root, 'native', 'build') };
  const runs = Array.from({ length: 3 }, () => {
    const ended = spawnSync(process.execPath, ['-e', own, values.dist, folder, listed], {
      encoding: 'utf8',
      env,
      maxBuffer: 1 << 28,
    });
    if (ended.status !== 0) throw new Error(ended.stderr);
    return JSON.parse(ended.stdout);
  });
  // The run that other load affected least.
  const [best] = runs.sort((a, b) => a.nodes.cpu_ms + a.tasks.cpu_ms - b.nodes.cpu_ms - b.tasks.cpu_ms);
  const per = ({ wall_ms, cpu_ms, calls }) => ({
    wall_ms: +wall_ms.toFixed(0),
    cpu_ms: +cpu_ms.toFixed(0),
    cpu_ms_a_reproducer: +(cpu_ms / count).toFixed(3),
    calls_a_reproducer: +(Object.values(calls).reduce((sum, each) => sum + each, 0) / count).toFixed(2),
  });
  return {
    reproducers: count,
    nodes: per(best.nodes),
    tasks: per(best.tasks),
    peak_mib: +best.peak_mib.toFixed(0),
    variables: best.variables,
    environment_bytes: best.environment_bytes,
    a_process_starts: best.spawned,
  };
}

const inert = `
const { dirname } = require('node:path');
const target = { executor: 'nx:noop', cache: true, inputs: ['{projectRoot}/kernel_variant.hip'] };
exports.name = 'inert';
exports.createNodes = ['**/kernel.json', (files) => files.filter((file) => !file.includes('pristine')).map((file) => [
  file, { projects: { [dirname(file)]: { name: dirname(file).replaceAll('/', '-'), targets: { validate: target } } } }])];
exports.createNodesV2 = exports.createNodes;
`;

const timed = `
import json, resource, subprocess, sys, time
begin = time.monotonic()
try:
  child = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 * float(sys.argv[1]))
  code, text = child.returncode, child.stdout.decode()
except subprocess.TimeoutExpired as error:
  code, text = 'more than ' + sys.argv[1] + ' min', (error.stdout or b'').decode()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({'code': code, 'wall_s': round(time.monotonic() - begin, 1), 'cpu_s': round(used.ru_utime + used.ru_stime, 1),
                  'peak_mib': round(used.ru_maxrss / 1024), 'text': text[-1500:]}))
`;

/**
 * Runs one command in a separate process and measures it with its child processes; the largest of these gives the peak.
 */
function nx(folder, env, ...args) {
  const command = [process.execPath, join(root, 'node_modules/nx/dist/bin/nx.js'), ...args];
  const ended = spawnSync('python3', ['-c', timed, values['limit-minutes'], ...command], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: {
      ...process.env,
      ...{ NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true', CI: 'true', NX_ISOLATE_PLUGINS: 'false' },
      ...{ KERNLOOP_NATIVE_DIR: process.env.KERNLOOP_NATIVE_DIR ?? join(root, 'native', 'build'), ...env },
    },
  });
  if (ended.status !== 0) throw new Error(ended.stderr);
  const { code, text, ...cost } = JSON.parse(ended.stdout);
  process.stderr.write(`${args.join(' ')}: ${JSON.stringify({ code, ...cost })}\n${code === 0 ? '' : text}\n`);
  return { ...cost, ...(code === 0 ? {} : { ended: code }) };
}

/**
 * Stores one task's result and returns it for every other. A separate process, because this one blocks on its children.
 */
const remoteCache = `
const { createServer } = require('node:http');
let result;
let asked = 0;
const server = createServer((request, response) => {
  const answer = (status, body) => void response.writeHead(status).end(body);
  if (request.url === '/asked') return answer(200, String(asked));
  if (request.method === 'GET') {
    asked += 1;
    return result ? answer(200, result) : answer(404);
  }
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    result ??= Buffer.concat(parts);
    answer(200);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

async function startRemoteCache() {
  const server = spawn(process.execPath, ['-e', remoteCache], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  const url = `http://127.0.0.1:${Number(port)}`;
  return {
    env: { NX_SELF_HOSTED_REMOTE_CACHE_SERVER: url },
    asked: async () => Number(await (await globalThis.fetch(`${url}/asked`)).text()),
    stop: () => server.kill(),
  };
}

/** A workspace in which Nx finds its own packages, Kernloop, and git. */
function prepared(count, plugin) {
  const folder = workspace(count, plugin);
  if (plugin === 'inert') write(join(folder, 'inert.cjs'), inert);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  symlinkSync(root, join(folder, 'node_modules', 'kernloop'));
  const git = (...args) => spawnSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@b', ...args], { cwd: folder });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'all');
  return folder;
}

const runMany = ['run-many', '-t', 'validate', '--output-style=static'];

/** The first run finds everything in the remote cache, the second in the folder. */
async function allHit(folder, seed) {
  const remote = await startRemoteCache();
  try {
    nx(seed, remote.env, ...runMany);
    const before = await remote.asked();
    const first = nx(folder, remote.env, ...runMany);
    const found = (await remote.asked()) - before;
    const again = nx(folder, remote.env, ...runMany);
    return { run_many_remote: { results: found, ...first }, run_many_all_hit: again };
  } finally {
    remote.stop();
  }
}

/** Builds a project graph from nothing, and runs commands that reuse it. */
async function nxPart(count, plugin, seed) {
  const folder = prepared(count, plugin);
  const show = ['show', 'projects', '--json'];
  const edited = '--files=kernels/app0/kernel_0/kernel_variant.hip';
  const graph = nx(folder, {}, 'graph', '--file=.nx/graph.json');
  const measured = { reproducers: count, plugin, graph, show: nx(folder, {}, ...show) };
  measured.affected = nx(folder, {}, ...show, '--affected', edited);
  measured.tasks = nx(folder, {}, 'run-many', '-t', 'validate', '--graph=.nx/tasks.json');
  return { ...measured, ...(await allHit(folder, seed)) };
}

const nxParts = [];
const seed = sizes(values.nx).length > 0 ? prepared(1, 'inert') : undefined;
for (const count of sizes(values.nx))
  for (const plugin of ['kernloop', 'inert']) nxParts.push(await nxPart(count, plugin, seed));
const result = {
  machine: { cpu: cpus()[0]?.model ?? '?', cores: cpus().length, memory_gib: Math.round(totalmem() / 2 ** 30) },
  node: process.version,
  load: +loadavg()[0].toFixed(2),
  own: sizes(values.counts).map(ownPart),
  nx: nxParts,
};
const text = `${JSON.stringify(result, null, 2)}\n`;
process.stdout.write(text);
if (values.write) writeFileSync(join(root, 'bench/results', `${values.write}.json`), text);
if (!values.work) rmSync(work, { recursive: true, force: true });
