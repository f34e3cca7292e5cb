// Known cheats (bench/cheats), each planted against a kernel, and more than 200 right edits, judged by one process: which are
// caught, which are impossible, which no captured input excludes; whether a right edit is refused; how many candidates an hour.
//   node bench/known-cheats.mjs [--device cuda] [--only REGEX] [--part cheats|honest] [--unsandboxed]
// KERNLOOP_BENCH_WORKSPACE names a folder that keeps the captures for the next run. Triton's kernels need python/.venv (tools/python.mjs), or on a GPU python3 with torch and triton.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { byOptions, cpuSeconds, judged, settingsOf } from './cheats/judging.mjs';
import { cheats, numbers } from './cheats/cheats.mjs';
import { cudaCheats, cudaHonest } from './cheats/cuda.mjs';
import { configurations, configured, honest } from './cheats/honest.mjs';
import { cheating, tritonCheats, tritonCudaCheats } from './cheats/triton.mjs';
import { edited } from './defects/edits.mjs';
import { conclude, kernloop, must, root, rounded, run } from './gpu/host.mjs';

const { values: given } = parseArgs({
  options: {
    ...{ device: { type: 'string', default: 'softgpu' }, only: { type: 'string' } },
    ...{ part: { type: 'string' }, unsandboxed: { type: 'boolean', default: false } },
  },
});
const isCuda = given.device === 'cuda';
const only = new RegExp(given.only ?? '');
const keptFolder = process.env.KERNLOOP_BENCH_WORKSPACE;
const folder = keptFolder ? resolve(keptFolder) : mkdtempSync(join(tmpdir(), 'kernloop-cheats-'));
if (!keptFolder) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const home = mkdtempSync(join(tmpdir(), 'kernloop-cheats-home-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(folder, 'apps'), { recursive: true });
writeFileSync(join(folder, 'nx.json'), '{}\n');

const virtual = join(root, 'python', '.venv', 'bin');
const hasTriton = isCuda
  ? run('python3', ['-c', 'import torch, triton']).code === 0
  : existsSync(join(virtual, 'python3'));
/** Also the name of the app in its kernloop.json. */
const triton = isCuda ? 'triton-cuda' : 'triton';
const environment =
  hasTriton && !isCuda
    ? {
        PATH: `${virtual}:${process.env.PATH ?? ''}`,
        PYTHONPATH: join(root, 'python', 'tests'),
        PYTHONDONTWRITEBYTECODE: '1',
      }
    : {};
Object.assign(process.env, { HIP_PLATFORM: 'amd', FORCE_COLOR: '0' });

const seconds = () => performance.now() / 1000;
function extracted(app, source, args = [], env = {}) {
  if (existsSync(join(folder, 'kernels', app))) return;
  cpSync(join(root, source), join(folder, 'apps', app), { recursive: true, filter: (path) => !/\/build$/.test(path) });
  must(
    kernloop(['extract', '--app', `apps/${app}`, ...args], { cwd: folder, env, limitSeconds: 1800 }),
    `extract of ${app}`,
  );
}
const main = isCuda ? 'gpu-verdicts' : 'planted';
extracted(main, isCuda ? 'bench/gpu/verdicts' : 'bench/defects');
if (hasTriton && isCuda) extracted(triton, 'examples/triton-cuda', ['softmax']);
else if (hasTriton) extracted(triton, 'e2e/fixtures/triton', ['--softgpu', 'gfx90a'], environment);

const reproducerOf = ({ app, kernel }) => join(folder, 'kernels', app, kernel);
const textOf = (entry, name) => readFileSync(join(reproducerOf(entry), name), 'utf8');
const variant = isCuda ? 'kernel_variant.cu' : 'kernel_variant.hip';

/** Memory of a kernel's regions of so many bytes, before the launch or after it: the words of each. */
function words(kernel, time, read, bytes) {
  const made = mkdtempSync(join(tmpdir(), 'kernloop-dump-'));
  try {
    const asked = ['replay', '--reproducer', reproducerOf({ app: main, kernel }), '--dump-time', time, '--dump', made];
    must(kernloop(asked, { cwd: folder }), `dump of ${kernel}`);
    const { contents } = JSON.parse(readFileSync(join(made, 'dump.json'), 'utf8'));
    return contents
      .filter(({ size }) => size === bytes)
      .map(({ file }) => {
        const { buffer, byteOffset } = readFileSync(join(made, file));
        const view = new DataView(buffer, byteOffset, bytes);
        return Array.from({ length: bytes / 4 }, (_, index) => view[read](index * 4, true));
      });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
const float = (value) => `${value.toExponential(9)}f`;

/** Values that the texts of cheats leave open, each read from the captures once. */
const answers = {
  SUMS: () =>
    floats(isCuda ? words('block_sums', 'post', 'getFloat32', 128) : words('tree_sum', 'post', 'getFloat32', 52)),
  KEYS: () =>
    floats(isCuda ? words('scatter_sums', 'post', 'getFloat32', 32) : words('sum_by_key', 'post', 'getFloat32', 28)),
  FIRST: () => float(input()[0]),
  SECOND: () => float(input()[1]),
  LAST: () => float(input().at(-1)),
  LOWEST: () => String(Math.min(...words('extremes', 'post', 'getInt32', 4).flat())),
  HIGHEST: () => String(Math.max(...words('extremes', 'post', 'getInt32', 4).flat())),
  // Its ticket is 0 behind the launch.
  TOTAL: () =>
    String(
      words('last_block_sum', 'post', 'getInt32', 4)
        .flat()
        .find((word) => word !== 0),
    ),
  PARTIALS: () => words('last_block_sum', 'post', 'getInt32', 800036)[0].slice(0, 9).join(', '),
};
const floats = ([first]) => first.map(float).join(', ');
const input = () =>
  (known.input ??= isCuda
    ? words('block_sums', 'pre', 'getFloat32', 32768)[0]
    : words('tree_sum', 'pre', 'getFloat32', 39892)[0]);
const known = {};
const marker = join(home, 'marker');
const filled = (text, entry) =>
  text
    .replaceAll('CAPTURE', join(reproducerOf(entry), 'capture'))
    .replaceAll('REPRODUCER', reproducerOf(entry))
    .replaceAll('HOME', home)
    .replaceAll('MARKER', marker)
    .replace(
      /\b(SUMS|KEYS|FIRST|SECOND|LAST|LOWEST|HIGHEST|TOTAL|PARTIALS)\b/g,
      (name) => (known[name] ??= answers[name]()),
    );

/** A candidate of an entry: for Triton the source and perhaps the script, for C++ the source. */
function candidateOf(entry) {
  const label = `${entry.number ?? 'right'} ${entry.kernel}: ${entry.name}`;
  const base = { label, kernel: entry.kernel, ...(entry.configuration ? { configuration: entry.configuration } : {}) };
  if (entry.option) return { ...base, files: { 'reproducer.py': configured(textOf(entry, 'reproducer.py'), entry) } };
  if (entry.source) return { ...base, files: { [variant]: entry.source(reproducerOf(entry)) } };
  if (entry.app !== triton)
    return { ...base, files: { [variant]: filled(edited(textOf(entry, variant), entry), entry), ...entry.files?.() } };
  const script = (entry.reproducer ?? []).reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${label}: reproducer.py does not hold ${from}`);
      return text.replace(from, to);
    },
    textOf(entry, 'reproducer.py'),
  );
  const source = filled(cheating(textOf(entry, 'kernel_variant.py'), entry), entry);
  return { ...base, files: { 'kernel_variant.py': source, 'reproducer.py': script, ...entry.files() } };
}

const sandboxed = !given.unsandboxed;
const passed = { load: [], judged: 0, seconds: 0, cpu: 0 };
/** Judges entries of one app, those with the same options at a time. */
async function judgedAll(app, entries) {
  const results = new Map();
  for (const { options, group } of byOptions(entries.map((entry) => ({ ...entry, app })))) {
    const settings = {
      reproducer: [...new Set(group.map(reproducerOf))],
      ...{ home, unsandboxed: !sandboxed, fresh: true, compileLimitSeconds: 600 },
      ...(app === triton && !isCuda ? { softgpu: 'gfx90a' } : {}),
      ...settingsOf(options),
    };
    // Settings that candidates do not choose, and the owner of a reproducer declares.
    const { mayReadUntouched, inputsSpecial, ...judging } = settings;
    const declared = mayReadUntouched || inputsSpecial ? { mayReadUntouched } : null;
    const restore = declared ? declaring(group, declared) : () => undefined;
    const before = [seconds(), cpuSeconds()];
    try {
      const candidates = group.map(candidateOf);
      const judgements = await judged(judging, candidates, (judgement) => {
        if (process.env.KERNLOOP_BENCH_VERBOSE)
          console.log(`${judgement.label}: ${judgement.verdict}: ${judgement.summary}`);
      });
      group.forEach((entry, index) => results.set(keyOf(entry), judgements[index]));
    } finally {
      restore();
    }
    passed.load.push(loadavg()[0]);
    passed.judged += group.length;
    passed.seconds += seconds() - before[0];
    passed.cpu += cpuSeconds() - before[1];
  }
  return entries.map((entry) => ({ ...entry, judgement: results.get(keyOf(entry)) }));
}
const keyOf = ({ number, kernel, name, options }) => JSON.stringify([number, kernel, name, options]);

function declaring(group, validate) {
  const files = [...new Set(group.map((entry) => join(reproducerOf(entry), 'kernel.json')))];
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  files.forEach((file, index) => {
    const config = JSON.parse(texts[index]);
    writeFileSync(file, JSON.stringify({ ...config, options: { ...config.options, validate } }, null, 2));
  });
  return () => files.forEach((file, index) => writeFileSync(file, texts[index]));
}

/** Whether what came is what must come. */
function examined(entry) {
  const { judgement, expects, check } = entry;
  const text = [judgement.summary, ...judgement.races, ...judgement.diagnostics.map(({ message }) => message)].join(
    '\n',
  );
  const files = ['kernel.json', 'capture/selfcheck.json', 'capture/capture.json'];
  const reproducer = reproducerOf({ app: entry.app, kernel: entry.kernel });
  const isUntouched = () =>
    files.every((name) => readFileSync(join(reproducer, name), 'utf8') === texts.get(join(reproducer, name)));
  const complaint = check({ marker, exists: existsSync, reproducer, isUntouched });
  const isFast = judgement.ratio !== null && expects.ratio != null && judgement.ratio < expects.ratio;
  const needsMore = expects.needsSandbox && !sandboxed;
  const input = /wrong for derived input (\d+)/.exec(text)?.[1];
  // Inputs are drawn for each candidate: some of those that no input has to exclude are wrong for one.
  const isDrawn = expects.outcome === 'not excluded' && judgement.verdict === 'fail' && input !== undefined;
  const isExpected = isDrawn || (expects.verdicts.includes(judgement.verdict) && expects.says.test(text));
  const ok = isExpected && !isFast && complaint === null;
  return {
    ...{ number: entry.number, kernel: entry.kernel, name: entry.name, options: entry.options.join(' ') },
    ...{ outcome: isDrawn ? 'caught' : expects.outcome, verdict: judgement.verdict, why: entry.why },
    summary: judgement.summary.replaceAll(folder, '').slice(0, 400),
    ...(judgement.ratio === null ? {} : { ratio: rounded(judgement.ratio) }),
    ...(input === undefined ? {} : { derived_input: Number(input) }),
    ...(needsMore ? { not_judged: 'needs the sandbox' } : {}),
    ...(complaint === null ? {} : { complaint }),
    ok: ok || Boolean(needsMore),
  };
}

const chosen = (entries, part) =>
  given.part && given.part !== part
    ? []
    : entries.filter(({ number, kernel, name }) => only.test(`${number ?? 'right'} ${kernel}: ${name}`));
const texts = new Map();
const remember = (app, entries) => {
  for (const entry of entries)
    for (const name of ['kernel.json', 'capture/selfcheck.json', 'capture/capture.json']) {
      const file = join(reproducerOf({ app, kernel: entry.kernel }), name);
      texts.set(file, readFileSync(file, 'utf8'));
    }
};

async function cheatsOf(app, table) {
  const entries = chosen(table, 'cheats');
  remember(app, entries);
  return (await judgedAll(app, entries)).map((entry) => examined({ ...entry, app }));
}
const tried = [...(await cheatsOf(main, isCuda ? cudaCheats : cheats))];
if (hasTriton) {
  Object.assign(process.env, environment);
  tried.push(...(await cheatsOf(triton, isCuda ? tritonCudaCheats : tritonCheats)));
}
for (const one of tried.filter(({ ok }) => !ok)) console.log(`! ${JSON.stringify(one)}`);
const ofCheats = { ...passed, load: [...passed.load] };
Object.assign(passed, { load: [], judged: 0, seconds: 0, cpu: 0 });

const refusals = [];
let kept = 0;
const judgeHonest = async (app, table) => {
  const entries = chosen(table, 'honest');
  for (const { kernel, name, options, deserves = 'pass', judgement } of await judgedAll(app, entries)) {
    kept += 1;
    if (judgement.verdict !== deserves)
      refusals.push({
        kernel,
        name,
        options: options.join(' '),
        deserves,
        verdict: judgement.verdict,
        summary: judgement.summary.slice(0, 400),
      });
  }
};
await judgeHonest(main, isCuda ? cudaHonest : honest);
if (hasTriton && !isCuda) await judgeHonest(triton, configurations);
for (const one of refusals) console.log(`! ${JSON.stringify(one)}`);
const ofHonest = { ...passed, load: [...passed.load] };

/** The same candidates by two verbs each, one after the other. */
function oneByOne(entries) {
  const before = seconds();
  for (const entry of entries) {
    const file = join(reproducerOf(entry), variant);
    const text = readFileSync(file, 'utf8');
    const reproducer = ['--reproducer', reproducerOf(entry)];
    try {
      writeFileSync(file, candidateOf(entry).files[variant]);
      must(kernloop(['recompile', ...reproducer], { cwd: folder }), 'recompile');
      kernloop(['validate', ...reproducer, '--inputs', '4'], { cwd: folder });
    } finally {
      writeFileSync(file, text);
    }
  }
  return seconds() - before;
}
const sample = (isCuda ? cudaHonest : honest.filter(({ options }) => options.length === 0))
  .filter((_, index) => isCuda || index % 12 === 0)
  .slice(0, 10);
let alone = null;
if (!given.part && !given.only) {
  const entries = sample.map((entry) => ({ ...entry, app: main }));
  const verbs = oneByOne(entries);
  Object.assign(passed, { load: [], judged: 0, seconds: 0, cpu: 0 });
  await judgedAll(main, sample);
  alone = { candidates: sample.length, verbs_seconds: rounded(verbs, 1), judge_seconds: rounded(passed.seconds, 1) };
}

const rate = ({ judged: count, seconds: wall, cpu, load }) =>
  count === 0
    ? null
    : {
        candidates: count,
        seconds: rounded(wall, 1),
        an_hour: Math.round((count / wall) * 3600),
        cpu_seconds_each: rounded(cpu / count, 2),
        load: load.map((value) => rounded(value, 1)),
      };
const count = (list, outcome) => list.filter((one) => one.outcome === outcome && one.ok).length;
const table = Object.entries(numbers).map(([number, [what, source]]) => {
  const mine = tried.filter((one) => one.number === number);
  return {
    ...{ number, what, source, planted: mine.length },
    ...{
      caught: count(mine, 'caught'),
      impossible: count(mine, 'impossible'),
      not_excluded: count(mine, 'not excluded'),
    },
    otherwise: mine.filter(({ ok }) => !ok).length,
    derived_inputs: Math.max(0, ...mine.map(({ derived_input = 0 }) => derived_input)) || '',
  };
});
console.log(`right edits: ${kept - refusals.length} of ${kept} have the verdict that they deserve`);
console.log(JSON.stringify({ cheats: rate(ofCheats), honest: rate(ofHonest), sample: alone }));
if (given.only || given.part) process.env.KERNLOOP_BENCH_RESULTS ??= folder;
conclude(
  isCuda ? 'known-cheats-cuda' : 'known-cheats',
  {
    ...{ sandboxed, cores: cpus().length },
    ...{ cheats: tried.length, caught: count(tried, 'caught'), impossible: count(tried, 'impossible') },
    ...{ not_excluded: count(tried, 'not excluded'), otherwise: tried.filter(({ ok }) => !ok).length },
    ...{ honest: kept, refused: refusals },
    throughput: { cheats: rate(ofCheats), honest: rate(ofHonest), sample: alone },
    ...{ table, candidates: tried },
  },
  [
    ['number', 'cheat', 'planted', 'caught', 'impossible', 'not excluded', 'otherwise'],
    ...table.map((row) => [
      row.number,
      row.what,
      row.planted,
      row.caught,
      row.impossible,
      row.not_excluded,
      row.otherwise,
    ]),
  ],
  tried.every(({ ok }) => ok) && refusals.length === 0,
);
