// Cost of Kernloop in every Nx command: an all-hit `nx run <kernel>:validate` beside an all-hit no-op target of an
// empty workspace, and of one with a local plugin that does nothing, which shows Nx's own cost of a plugin.
//   node bench/nx-cost.mjs [--rounds N] [--modes off,on] [--work DIR]
// Needs a native build and measures the package as published. Runs alternate, so that all see the same load of the
// machine; a ratio is that of the medians. Without the daemon, CPU time of all processes is measured, too (Linux,
// python3), because other load affects it least. `kernloop --help` is measured beside `node -e 0`. Prints one JSON
// object last, and writes it to bench/results/nx-cost.json with --write.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stageKernloop } from '../tools/packages/kernloop.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    modes: { type: 'string', default: 'off,on' },
    work: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const work = values.work ?? mkdtempSync(join(tmpdir(), 'kernloop-nx-cost-'));
const project = 'outputs-two_outputs';
/** The compiled and joined package as users get it: in a checkout's dist/ each module is a file. */
const published = join(work, 'published');

/** Runs a command until every process that it leaves has ended, and prints their CPU time. */
const reaper = `
import ctypes, os, resource, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
begin = time.monotonic()
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
text = child.stdout.read() if sys.argv[1] == 'main' else child.communicate()[0]
code = child.wait()
wall = time.monotonic() - begin
while sys.argv[1] == 'all':
    try: os.wait()
    except ChildProcessError: break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write('%d %.4f %.4f' % (code, wall, used.ru_utime + used.ru_stime))
sys.stdout.buffer.write(text)
`;

function measured(command, { cwd, daemon }) {
  const env = { ...process.env, ...environment, NX_DAEMON: String(daemon) };
  const ended = spawnSync('python3', ['-c', reaper, daemon ? 'main' : 'all', ...command], {
    cwd,
    env,
    encoding: 'utf8',
  });
  const [code, wall, cpu] = ended.stderr.trim().split(' ').map(Number);
  if (code !== 0) throw new Error(`${command.join(' ')} in ${cwd}:\n${ended.stdout}${ended.stderr}`);
  return { wall, cpu, text: ended.stdout };
}

const environment = {
  KERNLOOP_NATIVE_DIR: process.env.KERNLOOP_NATIVE_DIR ?? join(root, 'native', 'build'),
  HIP_PLATFORM: 'amd',
  NX_TUI: 'false',
  CI: 'true',
  FORCE_COLOR: '0',
};

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}

function run(command, args, cwd) {
  const ended = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...environment, NX_DAEMON: 'false' },
    encoding: 'utf8',
  });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${ended.stdout}${ended.stderr}`);
}

/**
 * A workspace with installed packages and a copy of Kernloop: a checkout would hash its own sources in every command.
 */
function workspace(name, plugins) {
  const folder = join(work, name);
  write(join(folder, 'package.json'), { name: 'workspace', private: true });
  write(join(folder, 'nx.json'), { plugins, cacheDirectory: '.nx/cache', analytics: false });
  write(join(folder, '.gitignore'), 'node_modules\n.nx\n.kernloop\nbuild\nreport.json\n');
  write(join(folder, 'noop/project.json'), {
    name: 'noop',
    targets: {
      check: {
        command: 'true',
        cache: true,
        inputs: ['{projectRoot}/**/*', { externalDependencies: [] }],
        outputs: [],
      },
    },
  });
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const each of readdirSync(join(root, 'node_modules')))
    if (!each.startsWith('.') && each !== 'kernloop')
      symlinkSync(join(root, 'node_modules', each), join(modules, each));
  cpSync(published, join(modules, 'kernloop'), { recursive: true });
  return folder;
}

function commit(folder) {
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '-m', 'state'],
  ])
    run('git', args, folder);
}

/** A reproducer whose app is elsewhere: all of its tasks are cached, and no build of a user is measured. */
function withReproducer(folder) {
  const app = join(folder, 'apps', 'outputs');
  mkdirSync(join(app, 'bin'), { recursive: true });
  cpSync(join(root, 'e2e/fixtures/probe/probe.hip'), join(app, 'probe.hip'));
  write(join(app, 'kernloop.json'), {
    name: 'outputs',
    build: {
      command: ['hipcc', '-x', 'hip', '--offload-arch=gfx90a', '-O2', 'probe.hip', '-o', 'bin/probe'],
      outputs: ['bin'],
    },
    command: ['bin/probe', 'outputs'],
    env: { HIP_PLATFORM: 'amd' },
    kernels: [{ name: 'two_outputs', match: 'two_outputs' }],
  });
  run(process.execPath, [join(folder, 'node_modules/kernloop/bin/kernloop.js'), 'extract', '--app', app], folder);
  rmSync(app, { recursive: true });
}

const nx = (folder, ...args) => [process.execPath, join(folder, 'node_modules/nx/dist/bin/nx.js'), 'run', ...args];

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

async function prepare() {
  await stageKernloop(published);
  const empty = workspace('empty', []);
  const inert = workspace('inert', ['./inert.js']);
  write(
    join(inert, 'inert.js'),
    "exports.name = 'inert';\nexports.createNodes = ['**/inert.json', () => []];\nexports.preTasksExecution = async () => {};\n",
  );
  const ours = workspace('kernloop', ['kernloop/plugin']);
  withReproducer(ours);
  for (const folder of [empty, inert, ours]) commit(folder);
  return { empty, inert, ours };
}

const isPrepared = existsSync(join(work, 'kernloop', 'kernels'));
const places = isPrepared
  ? { empty: join(work, 'empty'), inert: join(work, 'inert'), ours: join(work, 'kernloop') }
  : await prepare();

const cases = {
  empty: { cwd: places.empty, command: nx(places.empty, 'noop:check') },
  inert: { cwd: places.inert, command: nx(places.inert, 'noop:check') },
  noop: { cwd: places.ours, command: nx(places.ours, 'noop:check') },
  validate: { cwd: places.ours, command: nx(places.ours, `${project}:validate`) },
};

function summary(samples, base) {
  return Object.fromEntries(
    Object.entries(samples).map(([name, { wall, cpu }]) => [
      name,
      {
        wall_s: +median(wall).toFixed(3),
        wall_ratio: +(median(wall) / median(samples[base].wall)).toFixed(2),
        ...(cpu
          ? { cpu_s: +median(cpu).toFixed(3), cpu_ratio: +(median(cpu) / median(samples[base].cpu)).toFixed(2) }
          : {}),
      },
    ]),
  );
}

function sampled(some, daemon) {
  const samples = Object.fromEntries(
    Object.keys(some).map((name) => [name, { wall: [], ...(daemon ? {} : { cpu: [] }) }]),
  );
  for (let round = 0; round < rounds; round++) {
    for (const [name, { cwd, command }] of Object.entries(some)) {
      const { wall, cpu, text } = measured(command, { cwd, daemon });
      if (name === 'validate' && [...text.matchAll(/local cache|existing outputs match the cache/g)].length < 2)
        throw new Error(`not all hits:\n${text}`);
      samples[name].wall.push(wall);
      samples[name].cpu?.push(cpu);
    }
  }
  return samples;
}

const result = {
  cpu: cpus()[0]?.model ?? '?',
  cores: cpus().length,
  node: process.version,
  rounds,
  load: loadavg()[0],
  nx: {},
};
for (const mode of values.modes.split(',')) {
  const daemon = mode === 'on';
  // Warms the cache, the graph, digests of installed files, and the daemon.
  for (let i = 0; i < 3; i++) for (const { cwd, command } of Object.values(cases)) measured(command, { cwd, daemon });
  result.nx[`daemon_${mode}`] = summary(sampled(cases, daemon), 'empty');
  if (daemon)
    for (const cwd of Object.values(places))
      run(process.execPath, [join(cwd, 'node_modules/nx/dist/bin/nx.js'), 'daemon', '--stop'], cwd);
}
const commands = {
  node: { cwd: work, command: [process.execPath, '-e', '0'] },
  help: {
    cwd: work,
    command: [process.execPath, join(places.ours, 'node_modules/kernloop/bin/kernloop.js'), '--help'],
  },
};
result.help = summary(sampled(commands, false), 'node');
const text = `${JSON.stringify(result, null, 2)}\n`;
process.stdout.write(text);
if (values.write) writeFileSync(join(root, 'bench/results/nx-cost.json'), text);
if (!values.work) rmSync(work, { recursive: true, force: true });
