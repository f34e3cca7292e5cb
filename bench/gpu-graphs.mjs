// Kernels that run as nodes of CUDA graphs, and arguments with stale addresses: each kernel of four programs
// (bench/gpu/graphs) is captured at its last dispatch, counted by a profile, and checked; the program's results must be
// the same with and without captures.
//   node bench/gpu-graphs.mjs [program…]     branches, step, cat, mixtral; all if none is named
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, must, root, rounded, run, workspace } from './gpu/host.mjs';

const mostKernels = 16;
const programs = process.argv.length > 2 ? process.argv.slice(2) : ['branches', 'step', 'cat', 'mixtral'];
const folder = workspace([]);
process.env.TORCHINDUCTOR_CACHE_DIR = join(folder, 'inductor-cache');
process.env.TRITON_CACHE_DIR = join(folder, 'triton-cache');
process.env.CUBLAS_WORKSPACE_CONFIG = ':4096:8';

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function digestOf(work) {
  const path = join(folder, 'digest');
  writeFileSync(path, 'none\n');
  process.env.KERNLOOP_BENCH_DIGEST = path;
  const ended = work();
  return { ended, digest: readFileSync(path, 'utf8').trim() };
}

function declare(app, name, command, kernels) {
  writeFileSync(join(app, 'kernloop.json'), JSON.stringify({ name, device: 'cuda', command, source: '.', kernels }));
}

/** Captures each kernel at its given dispatch in one run of the app. */
function captured(name, app, command, kernels, captures) {
  declare(app, name, command, kernels);
  const out = join(folder, 'kernels', name);
  const { ended, digest } = digestOf(() => kernloop(['extract', '--app', app], { cwd: folder, limitSeconds: 400 }));
  const records = kernels.map((kernel) => {
    const record = { kernel: captures.get(kernel.name), dispatch: kernel.ordinal };
    try {
      const capture = readJson(out, kernel.name, 'capture', 'capture.json');
      record.graph_node = capture.geometry.attributes.graph_node === 1;
      record.regions = capture.regions.length;
      record.selfcheck = readJson(out, kernel.name, 'capture', 'selfcheck.json').verdict;
    } catch (error) {
      record.selfcheck = `none: ${String(error.message).slice(0, 200)}`;
    }
    return record;
  });
  const warnings = ended.text.split('\n').filter((line) => /UNTRACKED_MEMORY|GRAPH_LAUNCH|error|refused/.test(line));
  return { digest, records, exit: ended.code, seconds: ended.seconds, warnings, tail: ended.text.slice(-2000) };
}

function examined(name) {
  const app = join(folder, 'apps', name);
  mkdirSync(app, { recursive: true });
  cpSync(join(root, 'bench', 'gpu', 'graphs'), app, { recursive: true });
  const command = name === 'branches' ? ['./branches'] : ['python3', `${name}.py`];
  if (name === 'branches')
    must(run('nvcc', ['-std=c++17', '-O2', '-arch=native', '-o', 'branches', 'branches.cu'], { cwd: app }), 'nvcc');
  const [file, ...args] = command;
  const plain = () => run(file === './branches' ? join(app, 'branches') : file, args, { cwd: app });
  must(plain(), name); // compiles kernels at run time before the measurement
  const first = digestOf(plain);
  declare(app, name, command, []);
  must(kernloop(['profile', '--app', app], { cwd: folder }), 'profile');
  const profile = readJson(app, '.kernloop', 'profile.json');
  const wanted = profile.kernels.filter(({ name }) => name !== '').slice(0, name === 'cat' ? 64 : mostKernels);
  const chosen = name === 'cat' ? wanted.filter(({ symbol }) => /CatArrayBatchedCopy/.test(symbol)) : wanted;
  const captures = new Map();
  const kernels = chosen.map(({ symbol, dispatches }, index) => {
    const slug = `k${String(index + 1).padStart(2, '0')}`;
    captures.set(slug, symbol);
    return { name: slug, match: `^${escaped(symbol)}$`, ordinal: dispatches };
  });
  const last = captured(name, app, command, kernels, captures);
  const alike = last.digest === first.digest && first.digest !== 'none';
  return { program: name, plain_seconds: rounded(first.ended.seconds, 1), without: first.digest, alike, ...last };
}

/**
 * Kernels captured at each of their dispatches: of the handwritten graph, whose parameters change; of torch.cat, whose
 * unused slots keep old values.
 */
const everyDispatch = {
  branches: { match: '^blend\\(', dispatches: 6 },
  cat: { match: 'CatArrayBatchedCopy', dispatches: 18 },
};
function atEveryDispatch(program) {
  const app = join(folder, 'apps', program);
  const { match, dispatches } = everyDispatch[program];
  const name = `every-${program}`;
  const command = program === 'branches' ? ['./branches'] : ['python3', `${program}.py`];
  declare(app, name, command, [{ name: 'kernel', match }]);
  const { ended, digest } = digestOf(() =>
    kernloop(['capture', '--app', app, '--kernel', 'kernel', '--dispatch', `1-${dispatches}`], { cwd: folder }),
  );
  const place = join(folder, 'kernels', name, 'kernel');
  const folders = ['capture', ...readdirSync(join(place, 'captures')).map((each) => join('captures', each))];
  const captures = folders.map((each) => ({
    verdict: readJson(place, each, 'selfcheck.json').verdict,
    graph_node: readJson(place, each, 'capture.json').geometry.attributes.graph_node === 1,
    variables_of_other_modules: readJson(place, each, 'capture.json').regions.filter(
      ({ api }) => api === 'cuModuleGetGlobal',
    ).length,
  }));
  return {
    program,
    match,
    exit: ended.code,
    digest,
    captures,
    untracked: ended.text.split('\n').filter((line) => line.includes('no call that allocated it was seen')),
    tail: ended.code === 0 ? '' : ended.text.slice(-2000),
  };
}

const results = programs.map((name) => {
  const result = examined(name);
  process.stderr.write(`${name}: exit ${result.exit} in ${result.seconds.toFixed(1)} s, alike ${result.alike}\n`);
  if (result.records.some(({ selfcheck }) => selfcheck !== 'verified')) process.stderr.write(`${result.tail}\n`);
  return result;
});
const every = programs.filter((name) => name in everyDispatch).map(atEveryDispatch);
for (const { tail } of every) process.stderr.write(tail);
const good = ({ selfcheck }) => selfcheck === 'verified';
const rows = results.map(({ program, records, alike, seconds, plain_seconds }) => [
  program,
  records.length,
  records.filter(({ graph_node }) => graph_node).length,
  records.filter(good).length,
  alike ? 'the same' : 'DIFFERENT',
  `${seconds.toFixed(1)} (${plain_seconds})`,
]);
for (const { program, digest, captures } of every) {
  const same = digest === results.find((result) => result.program === program).without;
  rows.push([
    `${program}, one kernel at each dispatch`,
    captures.length,
    captures.filter(({ graph_node }) => graph_node).length,
    captures.filter(({ verdict }) => verdict === 'verified').length,
    same ? 'the same' : 'DIFFERENT',
    '',
  ]);
}
conclude(
  'gpu-graphs',
  {
    versions: run('python3', [
      '-c',
      'import torch, transformers; print(torch.__version__, transformers.__version__)',
    ]).stdout.trim(),
    results: results.map(({ tail, ...result }) => (result.records.every(good) ? result : { ...result, tail })),
    every_dispatch: every,
  },
  [['program', 'captured', 'as graph nodes', 'verified', 'what it computes', 'seconds (without)'], ...rows],
  rows.every(([, count, , verified, alike]) => count > 0 && count === verified && alike === 'the same') &&
    (!programs.includes('step') || rows.find(([program]) => program === 'step')[2] > 0),
);
