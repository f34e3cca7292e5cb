// Candidates an hour of one judge for a small HIP kernel on the software GPU, against `recompile` and `validate --inputs 4` one after
// the other, in the same run; and the same candidates without headers that are parsed once for all of them.
//   node bench/judge-throughput.mjs [--candidates 120] [--sample 6] [--jobs N] [--kernel saxpy]
// KERNLOOP_BENCH_WORKSPACE names a folder that keeps the captures for the next run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuSeconds, judged } from './cheats/judging.mjs';
import { conclude, kernloop, must, rounded } from './gpu/host.mjs';
import { pipelineReproducer } from './judge-workspace.mjs';

const { values: given } = parseArgs({
  options: {
    ...{ candidates: { type: 'string', default: '120' }, sample: { type: 'string', default: '6' } },
    ...{ jobs: { type: 'string', default: String(cpus().length) }, kernel: { type: 'string', default: 'saxpy' } },
  },
});
const [count, sample, jobs] = [given.candidates, given.sample, given.jobs].map(Number);
const reproducer = pipelineReproducer(given.kernel);
const file = join(reproducer, 'kernel_variant.hip');
const text = readFileSync(file, 'utf8');

/** No two are the same, so that no verdict comes from memory. */
const edit = (number) => `${text}\n// candidate ${number}\n`;

async function measured(work, number) {
  const before = [performance.now(), cpuSeconds()];
  await work();
  const [seconds, cpu] = [(performance.now() - before[0]) / 1000, cpuSeconds() - before[1]];
  return {
    ...{ candidates: number, seconds: rounded(seconds, 1), an_hour: Math.round((number / seconds) * 3600) },
    ...{ cpu_seconds_each: rounded(cpu / number, 2), load: rounded(loadavg()[0], 1) },
  };
}

async function byJudge(number, beside) {
  const home = mkdtempSync(join(tmpdir(), 'kernloop-throughput-home-'));
  try {
    const candidates = Array.from({ length: number }, (_, index) => ({
      files: { 'kernel_variant.hip': edit(`${index} of ${home}`), ...beside },
    }));
    return await measured(async () => {
      const verdicts = await judged({ reproducer: [reproducer], home, jobs, compileLimitSeconds: 600 }, candidates);
      const other = verdicts.find(({ verdict }) => verdict !== 'pass');
      if (other) throw new Error(`a right edit has the verdict ${other.verdict}: ${other.summary}`);
    }, number);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function byVerbs(number) {
  try {
    return await measured(() => {
      for (let index = 0; index < number; index += 1) {
        writeFileSync(file, edit(`verbs ${index}`));
        must(kernloop(['recompile', '--reproducer', reproducer], { cwd: reproducer }), 'recompile');
        must(kernloop(['validate', '--reproducer', reproducer, '--inputs', '4'], { cwd: reproducer }), 'validate');
      }
    }, number);
  } finally {
    writeFileSync(file, text);
  }
}

const verbs = await byVerbs(sample);
// A file beside the source could be found in place of a header, so that such a candidate is compiled as a whole.
const whole = await byJudge(2 * sample, { 'notes.txt': '' });
const judge = await byJudge(count, {});
const rows = { 'recompile, validate': verbs, 'judge, all headers each time': whole, judge };
conclude(
  'judge-throughput',
  {
    ...{ kernel: given.kernel, jobs, cores: cpus().length, verbs, whole, judge },
    ...{ wall_ratio: rounded(judge.an_hour / verbs.an_hour, 2) },
    ...{ cpu_ratio: rounded(verbs.cpu_seconds_each / judge.cpu_seconds_each, 2) },
    cpu_bound_an_hour: Math.round((3600 * cpus().length) / judge.cpu_seconds_each),
  },
  [
    ['way', 'candidates', 'an hour', 'CPU seconds each', 'load'],
    ...Object.entries(rows).map(([name, { candidates, an_hour: rate, cpu_seconds_each: cpu, load }]) => [
      ...[name, candidates, rate, cpu, load],
    ]),
  ],
  judge.cpu_seconds_each < whole.cpu_seconds_each,
);
