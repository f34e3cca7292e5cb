// Candidates an hour of one judge for ggml's mul_mat_q in CUDA, against `recompile` and `validate --inputs 4` one after the other, in the
// same run; and the part of it that compiles. In derived inputs the quantised blocks of both matrices change places
// (--inputs-record): each candidate must be judged on some.
//   node bench/gpu-judge.mjs <checkout of ggml> [--candidates 60] [--sample 4] [--jobs 2] [--cores 2] [--parts]
// --parts: instead, the CPU and wall seconds of each program that a judgement starts, one candidate at a time.
// Fetches nothing. The checkout is copied and built here, without FlashAttention, which takes most of a build, on all cores;
// what is measured has the first `--cores` of them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuSeconds, judged, judgedBy } from './cheats/judging.mjs';
import { countedParts } from './judge-parts.mjs';
import { ggmlReproducer, isGgml, quantisedRecords } from './gpu/ggml.mjs';
import { conclude, kernloop, must, rounded, run } from './gpu/host.mjs';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ candidates: { type: 'string', default: '60' }, sample: { type: 'string', default: '4' } },
    ...{ jobs: { type: 'string', default: '2' }, cores: { type: 'string', default: '2' } },
    parts: { type: 'boolean', default: false },
  },
});
if (!isGgml(positionals[0])) {
  console.error(
    'usage: node bench/gpu-judge.mjs <checkout of ggml> [--candidates N] [--sample N] [--jobs N] [--cores N]',
  );
  process.exit(2);
}
const [count, sample, jobs] = [given.candidates, given.sample, given.jobs].map(Number);
const { folder, reproducer, variant } = ggmlReproducer(positionals[0], ['-DGGML_CUDA_FA=OFF']);
must(run('taskset', ['-acp', `0-${Number(given.cores) - 1}`, String(process.pid)]), 'taskset');
const text = readFileSync(variant, 'utf8');
const records = quantisedRecords(reproducer);
console.error(`records: ${records.join(', ')}`);

/** No two are the same, so that no verdict comes from memory. */
const edit = (number) => `${text}\nstatic_assert(${number} + 1, "edited");\n`;

async function measured(work, number) {
  const before = [performance.now(), cpuSeconds()];
  const parts = (await work()) ?? {};
  const [seconds, cpu] = [(performance.now() - before[0]) / 1000, cpuSeconds() - before[1]];
  return {
    ...{ candidates: number, seconds: rounded(seconds, 1), an_hour: Math.round((number / seconds) * 3600) },
    ...{ cpu_seconds_each: rounded(cpu / number, 2), ...parts },
  };
}

async function byJudge() {
  const home = mkdtempSync(join(process.env.KERNLOOP_BENCH_DIR ?? tmpdir(), 'kernloop-judge-home-'));
  try {
    return await measured(async () => {
      const candidates = Array.from({ length: count }, (_, index) => ({ files: { [basename(variant)]: edit(index) } }));
      const settings = { reproducer: [reproducer], home, jobs, compileLimitSeconds: 600, inputsRecord: records };
      const verdicts = await judged(settings, candidates, ({ verdict, summary }) => console.error(verdict, summary));
      const on = verdicts.map(({ derived_inputs: inputs }) => inputs?.judged ?? 0);
      return {
        passed: verdicts.filter(({ verdict }) => verdict === 'pass').length,
        // A pass without the records of either matrix in other places begins with NOT.
        moved: verdicts.filter(
          ({ summary }) =>
            /records in other places/.test(summary) && !/NOT judged (with records|on derived)/.test(summary),
        ).length,
        derived_inputs: { least: Math.min(...on), most: Math.max(...on) },
        summary: verdicts[0]?.summary,
      };
    }, count);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function byVerbs() {
  const spent = { recompile: 0, validate: 0 };
  const verbs = await measured(() => {
    for (let index = 0; index < sample; index += 1) {
      writeFileSync(variant, edit(count + index));
      const named = records.flatMap((one) => ['--inputs-record', one]);
      for (const [name, ...options] of [['recompile'], ['validate', '--inputs', '4', ...named]])
        spent[name] += must(kernloop([name, '--reproducer', reproducer, ...options], { cwd: folder }), name).seconds;
    }
  }, sample);
  const each = (name) => rounded(spent[name] / sample, 2);
  return { ...verbs, recompile_seconds_each: each('recompile'), validate_seconds_each: each('validate') };
}

/** One candidate after the other; the first, which meets cold caches, does not count. */
async function byParts() {
  const parts = countedParts();
  const home = mkdtempSync(join(process.env.KERNLOOP_BENCH_DIR ?? tmpdir(), 'kernloop-judge-home-'));
  const settings = { reproducer: [reproducer], home, jobs: 1, compileLimitSeconds: 600, inputsRecord: records };
  let began;
  try {
    await judgedBy(parts.wrap, settings, async (judge) => {
      for (let index = -1; index < sample; index += 1) {
        const { id } = judge.submit({ files: { [basename(variant)]: edit(index + 1) } });
        const { judgement } = await judge.verdict(id);
        if (judgement.verdict !== 'pass') throw new Error(`a right edit: ${judgement.verdict}: ${judgement.summary}`);
        if (index !== -1) continue;
        began = [performance.now(), cpuSeconds(), process.cpuUsage()];
        parts.begin();
      }
      const { user, system } = process.cpuUsage(began[2]);
      parts.add('node', (user + system) / 1e6);
      parts.add('all', cpuSeconds() - began[1], (performance.now() - began[0]) / 1000);
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return parts.rows(sample);
}

if (given.parts) {
  const rows = await byParts();
  const titles = ['part', 'programs', 'CPU seconds each', 'wall seconds each'];
  conclude('gpu-judge-parts', { parts: rows }, [titles, ...rows], true);
  process.exit();
}
const verbs = await byVerbs();
const judge = await byJudge();
conclude(
  'gpu-judge',
  {
    ...{ kernel: 'mul_mat_q', records, jobs, cores: availableParallelism(), verbs, judge },
    wall_ratio: rounded(judge.an_hour / verbs.an_hour, 2),
  },
  [
    ['way', 'candidates', 'an hour', 'CPU seconds each'],
    ...Object.entries({ 'recompile, validate': verbs, judge }).map(
      ([name, { candidates, an_hour: rate, cpu_seconds_each: cpu }]) => [...[name, candidates, rate, cpu]],
    ),
    [`recompile ${verbs.recompile_seconds_each} s each, validate ${verbs.validate_seconds_each} s`, '', '', ''],
  ],
  judge.passed === count && judge.moved === count && judge.derived_inputs.least > 0,
);
