// Triton on this machine's GPU: every kernel of examples/triton-cuda captured, self-checked, compiled again, launched
// by its own script, edited, judged in another configuration, compared and tuned; two processes that compile at once;
// the cost of recording per launch.
//   node bench/gpu-triton.mjs [no-tune]
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  conclude,
  inParallel,
  kernloop,
  median,
  must,
  native,
  packageRoot,
  root,
  rounded,
  run,
  workspace,
} from './gpu/host.mjs';
import { kernels } from './gpu/triton-edits.mjs';

const app = 'triton-cuda';
const agent = join(native, 'lib', 'libkernloop-capture-cuda.so');
const shim = join(packageRoot, 'python', 'shim');
const tunes = !process.argv.includes('no-tune');
const folder = workspace([app]);
const failures = [];
// Separate caches, so that this run compiles everything that it measures.
process.env.TRITON_CACHE_DIR = join(folder, 'triton-cache');
process.env.TORCHINDUCTOR_CACHE_DIR = join(folder, 'inductor-cache');
const watching = (records, patterns) => ({
  ...process.env,
  PYTHONPATH: shim,
  KERNLOOP_TRITON_DIR: records,
  KERNLOOP_TRITON_MATCH: JSON.stringify(patterns),
});
const say = (text) => process.stderr.write(`${text}\n`);

const versions = run('python3', ['-c', 'import torch, triton; print(torch.__version__, triton.__version__)']).stdout;
const [torch, triton] = versions.trim().split(' ');
const extracted = kernloop(['extract', '--app', join('apps', app)], { cwd: folder });
if (extracted.code !== 0) failures.push({ step: 'extract', exit: extracted.code, output: extracted.text.slice(-3000) });
say(extracted.text);
say(`extracted: ${extracted.code} in ${extracted.seconds.toFixed(0)} s`);

function examined(name) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('gpu/examine-triton.mjs', import.meta.url), {
      workerData: { folder, app, name, tunes },
    });
    worker.once('message', resolve).once('error', reject);
  });
}
const records = await Promise.all(
  Object.keys(kernels).map(async (name) => {
    const found = await examined(name);
    failures.push(...found.failures);
    say(`${name}: examined`);
    const told = new RegExp(`^${name}: .*recompiles to the captured kernel, (with the same machine code)`, 'm');
    const [, same] = told.exec(extracted.text) ?? [];
    return found.record.recompiled === 'another code' && same ? { ...found.record, recompiled: same } : found.record;
  }),
);

/**
 * Both compile and launch the same kernels into one empty cache; each record must belong to one of them, as a whole.
 */
async function twoAtOnce() {
  const place = mkdtempSync(join(folder, 'two-'));
  mkdirSync(join(place, 'records'));
  const env = { ...watching(join(place, 'records'), ['.']), TRITON_CACHE_DIR: join(place, 'cache') };
  const program = 'import softmax, matmul, attention\nfor each in (softmax, matmul, attention): each.run()';
  const command = ['python3', ['-c', program], { cwd: join(folder, 'apps', app), env }];
  const ends = await inParallel(2, [command, command]);
  const names = readdirSync(join(place, 'records'));
  const of = (kind) =>
    names
      .filter((name) => name.startsWith(`${kind}-`) && name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(place, 'records', name), 'utf8')));
  const [compilations, launches] = [of('compile'), of('launch')];
  const compiled = new Map(compilations.map((each) => [`${each.process} ${each.code_object.sha256}`, each]));
  const mixed = launches.filter((launch) => {
    const compilation = compiled.get(`${launch.process} ${launch.code_object}`);
    const wanted = compilation?.parameters?.map(({ name }) => name).join();
    return wanted === undefined || wanted !== launch.arguments.map(({ name }) => name).join();
  });
  const namesOf = new Map();
  for (const { code_object: code, name } of compilations)
    namesOf.set(code.sha256, new Set([...(namesOf.get(code.sha256) ?? []), name]));
  return {
    exits: ends.map(({ code }) => code),
    processes: new Set(compilations.map((each) => each.process)).size,
    compilations: compilations.length,
    kernels: namesOf.size,
    launches: launches.length,
    mixed: mixed.length + [...namesOf.values()].filter((each) => each.size > 1).length,
    partial: names.filter((name) => name.endsWith('.partial')).length,
    notes: of('note').length,
  };
}
const two = await twoAtOnce();
say('two at once: done');

/** 95 % interval by Student's t for five processes (2.78), or many turns (2). */
function interval(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const half = (values.length > 30 ? 2 : 2.78) * Math.sqrt(variance / values.length);
  return { mean_ns: rounded(mean, 1), from_ns: rounded(mean - half, 1), to_ns: rounded(mean + half, 1) };
}

/** Five processes of each kind alternate; each turn is compared with the mean of the same turn without the recorder. */
async function cost() {
  const [of, turns] = [5, 30];
  const place = mkdtempSync(join(folder, 'cost-'));
  mkdirSync(join(place, 'records'));
  // PYTHONHASHSEED below makes dictionaries and sets the same in every process.
  const plain = { ...process.env, KERNLOOP_TRITON_DIR: '' };
  const kinds = [
    { kind: 'without', env: plain },
    { kind: 'without, again', env: plain },
    { kind: 'recorder, another kernel', env: watching(join(place, 'records'), ['^other$']) },
    // Without a socket the agent only tells the recorder when a capture begins, which never happens.
    {
      kind: 'recorder, this kernel',
      env: { ...watching(join(place, 'records'), ['^softmax$']), CUDA_INJECTION64_PATH: agent },
    },
    // AMD, where no agent counts: each launch is looked up among those seen. Reported, not judged.
    { kind: 'recorder without the agent', isToldOnly: true, env: watching(join(place, 'records'), ['^softmax$']) },
  ];
  const count = kinds.length * of;
  const hands = Array.from({ length: count }, (_, index) => join(place, `turn-${index}`));
  must(run('mkfifo', hands), 'mkfifo');
  // Hands the first turn to process 0. A FIFO keeps its content while somebody has it open, here until all have ended.
  const first = openSync(hands[0], 'r+');
  writeSync(first, '.');
  const program = join(root, 'bench', 'gpu', 'triton_turns.py');
  const commands = Array.from({ length: count }, (_, index) => {
    const { env } = kinds[index % kinds.length];
    return [
      'python3',
      [program, place, `${index}`, `${count}`, `${turns}`],
      { env: { ...env, OMP_NUM_THREADS: '1', PYTHONHASHSEED: '0' } },
    ];
  });
  const ends = await inParallel(count, commands);
  closeSync(first);
  const taken = ends.map(({ text }) => [...text.matchAll(/^turn ([\d.]+)$/gm)].map(([, ns]) => Number(ns)));
  if (taken.some((each) => each.length !== turns)) return { failed: ends.find(({ code }) => code !== 0)?.text };
  const kindOf = (index) => index % kinds.length;
  const within = (index) => [...ends[index].text.matchAll(/^recorder (-?[\d.]+)$/gm)].map(([, ns]) => Number(ns));
  const base = Array.from({ length: turns }, (_, turn) => {
    const without = taken.filter((_each, index) => kindOf(index) < 2).map((each) => each[turn]);
    return without.reduce((sum, ns) => sum + ns, 0) / without.length;
  });
  const beyond = taken.map((each) => median(each.map((ns, turn) => ns - base[turn])));
  return {
    turns,
    launches_a_turn: 1000,
    without_ns: rounded(median(base), 1),
    // Difference between processes without the recorder.
    noise_ns: rounded(Math.max(...beyond.filter((_each, index) => kindOf(index) < 2).map(Math.abs)), 1),
    kinds: kinds.map(({ kind, isToldOnly = false }, position) => {
      const own = ends.map((_each, index) => index).filter((index) => kindOf(index) === position);
      const processes = own.map((index) => rounded(beyond[index], 1));
      const turnsWithin = own.flatMap(within);
      return {
        ...{ kind, is_judged: !isToldOnly, more: interval(processes), processes },
        // Cost within the same processes, turn by turn, compared with Triton's original launcher.
        within_a_process_ns: turnsWithin.length === 0 ? null : rounded(median(turnsWithin), 1),
      };
    }),
    launches_recorded: readdirSync(join(place, 'records')).filter((name) => name.startsWith('launch-')).length,
  };
}
const overhead = await cost();
if (overhead.kinds === undefined) failures.push({ step: 'overhead', output: `${overhead.failed}`.slice(-1500) });

const good = ({ selfcheck, recompiled, validate, reproducer, wrong, right, changed, tuned }) =>
  selfcheck === 'verified' &&
  recompiled !== 'another code' &&
  recompiled !== 'no build' &&
  validate === 'pass' &&
  reproducer?.exit === 0 &&
  wrong === 'fail' &&
  right === 'pass' &&
  changed?.within_bounds === 'pass' &&
  (!tunes || tuned?.passed > 0);
// A cost is distinguishable if it exceeds the difference between processes without the recorder.
const isQuiet = overhead.kinds?.every(
  ({ is_judged: isJudged, more, within_a_process_ns: within }) =>
    !isJudged ||
    ((Math.abs(more.mean_ns) <= overhead.noise_ns || more.from_ns <= 0) && (within ?? 0) <= overhead.noise_ns),
);
const ok =
  records.every(good) &&
  two.exits.every((code) => code === 0) &&
  two.processes === 2 &&
  two.mixed + two.partial + two.notes === 0 &&
  isQuiet === true;

const microseconds = (ns) => (ns === null || ns === undefined ? '-' : (ns / 1000).toFixed(2));
const exponent = (value) => (typeof value === 'number' ? value.toExponential(1) : '-');
const rows = [
  [
    ...['kernel', 'self-check', 'compiled again', 'unedited', 'reproducer.py', 'wrong edit', 'right edit'],
    ...['another configuration', 'byte for byte', 'bounds', 'largest error', 'us', 'captured', 'tuned', 'best'],
  ],
  ...records.map(({ kernel, selfcheck, recompiled, validate, reproducer, wrong, right, changed, tuned }) => [
    ...[kernel, selfcheck, recompiled, validate],
    reproducer === undefined ? '-' : `${reproducer.differing_bytes} of ${reproducer.bytes} bytes differ`,
    ...[wrong, right],
    Object.entries(changed?.configuration ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    changed?.exact,
    changed?.bounds === undefined
      ? '-'
      : `${changed.within_bounds} (atol ${changed.bounds.atol}, rtol ${changed.bounds.rtol})`,
    exponent(changed?.max_abs_error),
    microseconds(changed?.variant_ns),
    microseconds(changed?.captured_ns),
    tuned === undefined ? '-' : `${tuned.passed} of ${tuned.candidates} pass`,
    Object.entries(tuned?.best ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(' ') || '-',
  ]),
];
const result = {
  torch,
  triton,
  extract_seconds: rounded(extracted.seconds, 1),
  records,
  two_at_once: two,
  overhead,
  failures,
};
console.log(`two processes at once: ${JSON.stringify(two)}`);
console.log(
  `a launch without the recorder: ${microseconds(overhead.without_ns)} us, processes differ by up to ${overhead.noise_ns} ns`,
);
for (const { kind, more, within_a_process_ns: within } of overhead.kinds ?? []) {
  const own = within === null ? '' : `; ${within} ns more than without it in the same process`;
  console.log(`  ${kind}: ${more.mean_ns} ns more (${more.from_ns} … ${more.to_ns})${own}`);
}
conclude('gpu-triton', result, rows, ok);
