// Verdicts of validate on planted defects, and on edits after which the kernel is still right
// (bench/defects/edits.mjs). After one run of the app, each edit is recompiled, validated and reverted.
//   node bench/planted-defects.mjs [--only REGEX] [--jobs 2]
// REGEX is searched in "defect|correct KERNEL: KIND: NAME". With --only nothing is written into bench/results.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { correct, defects, edited, kinds } from './defects/edits.mjs';
import { conclude, inParallel, kernloopCommand, root, rounded } from './gpu/host.mjs';

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, jobs: { type: 'string', default: '2' } },
});
const only = new RegExp(options.only ?? '');
const entries = [
  ...defects.map((entry) => ({ set: 'defect', ...entry })),
  ...correct.map((entry) => ({ set: 'correct', ...entry })),
].filter(({ set, kernel, kind, name }) => only.test(`${set} ${kernel}: ${kind}: ${name}`));
const kernels = [...new Set(entries.map(({ kernel }) => kernel))];
if (kernels.length === 0) throw new Error(`no edit matches ${only}`);

const folder = mkdtempSync(join(process.env.KERNLOOP_BENCH_DIR ?? tmpdir(), 'kernloop-planted-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
mkdirSync(join(folder, 'apps'));
writeFileSync(join(folder, 'nx.json'), '{}\n');
cpSync(join(root, 'bench', 'defects'), join(folder, 'apps', 'planted'), {
  recursive: true,
  filter: (path) => !/\/build$/.test(path),
});

const seconds = () => Number(process.hrtime.bigint()) / 1e9;
const started = seconds();
async function verb(...args) {
  const before = seconds();
  const [ended] = await inParallel(1, [
    kernloopCommand(args, { cwd: folder, env: { ...process.env, HIP_PLATFORM: 'amd', FORCE_COLOR: '0' } }),
  ]);
  return { ...ended, seconds: seconds() - before };
}

const firstLine = (text) =>
  (
    /^Result: .*$/m.exec(text)?.[0] ??
    /^.*\berror: .*$/m.exec(text)?.[0] ??
    text.trim().split('\n').at(-1) ??
    ''
  ).replaceAll(folder, '');

// On a busy machine, a kernel that waits for other blocks can exceed the self-check's limit: such kernels are captured
// again by name.
const missing = () =>
  kernels.filter((kernel) => !existsSync(join(folder, 'kernels', 'planted', kernel, 'kernel_variant.hip')));
let appRuns = 0;
for (; missing().length > 0; appRuns += 1) {
  const extracted = await verb('extract', '--app', 'apps/planted', ...missing());
  if (missing().length === 0) break;
  if (appRuns === 3) throw new Error(`extract ended with ${extracted.code}:\n${extracted.text.slice(-3000)}`);
  console.log(`extract, again for ${missing().join(', ')}: ${firstLine(extracted.text)}`);
}
const extractSeconds = seconds() - started;
console.log(`extract: ${extractSeconds.toFixed(0)} s, ${kernels.length} kernels, ${appRuns + 1} runs of the app`);

const verdicts = { 0: 'pass', 1: 'fail', 3: 'vacuous', 4: 'fault' };
/** Other exit codes mean that validate itself failed: the edit counts as neither caught nor right. */
async function verdictOf(entry) {
  const reproducer = join('kernels', 'planted', entry.kernel);
  const source = join(folder, reproducer, 'kernel_variant.hip');
  const before = readFileSync(source, 'utf8');
  writeFileSync(source, edited(before, entry));
  try {
    const built = await verb('recompile', '--reproducer', reproducer);
    if (built.code !== 0) return { verdict: 'not compiled', line: firstLine(built.text), seconds: built.seconds };
    const ended = await verb('validate', '--reproducer', reproducer, ...entry.options);
    return {
      verdict: verdicts[ended.code] ?? `error ${ended.code}`,
      line: firstLine(ended.text),
      seconds: built.seconds + ended.seconds,
      validate_seconds: ended.seconds,
    };
  } finally {
    writeFileSync(source, before);
  }
}

const caught = ({ verdict }) => ['fail', 'vacuous', 'fault', 'not compiled'].includes(verdict);
const records = [];
const queue = kernels.map((kernel) => entries.filter((entry) => entry.kernel === kernel));
async function worker() {
  for (let edits = queue.shift(); edits; edits = queue.shift()) {
    for (const entry of edits) {
      const { set, kernel, kind, name } = entry;
      const found = await verdictOf(entry);
      const good = set === 'defect' ? caught(found) : found.verdict === entry.deserves;
      records.push({ ...entry, ...found, good });
      console.log(`${good ? '  ' : '! '}${set} ${kernel}: ${kind}: ${name}: ${found.verdict} (${found.line})`);
    }
  }
}
await Promise.all(Array.from({ length: Math.max(1, Number(options.jobs)) }, worker));

const planted = records.filter(({ set }) => set === 'defect');
const kept = records.filter(({ set }) => set === 'correct');
const count = (list, verdict) => list.filter((record) => record.verdict === verdict).length;
const row = (label, list) => ({
  kind: label,
  planted: list.length,
  kernels: new Set(list.map(({ kernel }) => kernel)).size,
  caught: list.filter(caught).length,
  fail: count(list, 'fail'),
  vacuous: count(list, 'vacuous'),
  fault: count(list, 'fault'),
  not_compiled: count(list, 'not compiled'),
  not_caught: list.filter((record) => !caught(record)).length,
});
const table = [
  ...Object.keys(kinds).map((kind) =>
    row(
      kind,
      planted.filter((record) => record.kind === kind),
    ),
  ),
  row('all', planted),
].filter((line) => line.planted > 0);
const misses = planted.filter(({ good }) => !good);
const alarms = kept.filter(({ good }) => !good);
const brief = ({ kernel, kind, name, why, options, verdict, line }) => ({
  kernel,
  kind,
  name,
  why,
  ...(options.length > 0 ? { options } : {}),
  verdict,
  line,
});
const list = (title, found) => {
  console.log(`\n${title}: ${found.length}`);
  for (const { kernel, kind, name, why, verdict, line } of found) {
    console.log(`  ${kernel}: ${kind}: ${name}: ${verdict}\n    ${line}\n    ${why}`);
  }
};
list('Defects not caught', misses);
list('Correct edits without the verdict that they deserve', alarms);
console.log();

if (options.only !== undefined) process.env.KERNLOOP_BENCH_RESULTS ??= folder;
const validations = records.flatMap(({ validate_seconds }) => validate_seconds ?? []);
conclude(
  'planted-defects',
  {
    kernels: kernels.length,
    app_runs: appRuns + 1,
    seconds: {
      all: rounded(seconds() - started, 0),
      extract: rounded(extractSeconds, 0),
      validate_mean: rounded(validations.reduce((sum, value) => sum + value, 0) / Math.max(1, validations.length), 2),
    },
    defects: table,
    correct: { edits: kept.length, passed: kept.filter(({ verdict }) => verdict === 'pass').length },
    not_caught: misses.map(brief),
    false_alarms: alarms.map(brief),
    edits: records
      .map(({ set, kernel, kind, name, verdict }) => ({ set, kernel, kind, name, verdict }))
      .sort((a, b) => `${a.set} ${a.kernel} ${a.kind}`.localeCompare(`${b.set} ${b.kernel} ${b.kind}`)),
  },
  [
    ['kind', 'planted', 'kernels', 'caught', 'fail', 'vacuous', 'fault', 'not compiled', 'not caught'],
    ...table.map((line) => Object.values(line)),
    [`correct edits: ${kept.length - alarms.length} of ${kept.length} have the verdict that they deserve`],
  ].map((line) => [...line, ...Array(9 - line.length).fill('')]),
  misses.length === 0 && alarms.length === 0,
);
