// AMD's own test suites, as Debian ships them, and ggml's, on the software GPU (docs/contributing/robustness.md).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root as checkout, runMain, StepError } from '../../tools/console.mjs';
import { allTargets, releases, suites } from './suites/catalogue.mjs';
import { installSuite, makeRoot, mirrorOf, requireRoot, rocmVersions, stopAll } from './suites/roots.mjs';
import { rowsOf, runAll, softgpuIn } from './suites/run.mjs';
import { checked, detailsOf, evidenceOf, figuresOf, tableOf, withEarlier } from './suites/table.mjs';

const help = `sudo node bench/rocm/suites.mjs FOLDER [options]

Makes a root of each Debian release in FOLDER, with the test suites that the release has, runs them on the software GPU, and prints
a table: right, wrong, refused by name, out of time. Needs root, debootstrap, the network, and 60 GB. What FOLDER has of an earlier run
(roots, and results of the same software GPU) is not done again. The table and its evidence go to bench/results/rocm-suites.json, which keeps its
rows that this run does not come to. The exit code is 1 if anything is wrong.

  --kernloop FOLDER         an installed Kernloop (node e2e/install.cjs FOLDER); without it, this checkout is packed and installed
  --level L                 kfd: on the release's own ROCr, over the emulated kernel driver that this checkout has built with its native
                            tests; the evidence is rocm-suites-rocr.json then
  --suites A,B              ${Object.keys(suites).join(', ')}
  --releases A,B            ${releases.join(', ')}
  --targets A,B             ${allTargets.join(', ')}
  --sample N                every N-th case of each program, one at least (1: all)
  --offset K                the first of them (0)
  --seconds-per-case S      limit of a case (120)
  --seconds-per-start S     limit of the start of a program until its first case, and of its list of cases (600)
  --seconds-per-program S   limit of all cases of a program on a target (3600)
  --seconds-per-turn S      after which a program lets another suite run, between two cases (60)
  --minutes M               limit of the run, without making the roots (600)
  --workers N               programs at a time (${availableParallelism()}: the hardware threads)
  --threads N               worker threads of each software GPU (2)
  --mirror URL              Debian's mirror (that of this machine's apt sources)
  --only-roots              makes the roots, and runs nothing
  --again                   runs the chosen suites again, whatever FOLDER has of them
`;

const text = { type: 'string' };
const flag = { type: 'boolean', default: false };
const number = (fallback) => ({ type: 'string', default: String(fallback) });
const options = {
  ...{
    help: flag,
    again: flag,
    'only-roots': flag,
    kernloop: text,
    level: text,
    suites: text,
    releases: text,
    targets: text,
    mirror: text,
  },
  ...{
    sample: number(1),
    offset: number(0),
    'seconds-per-case': number(120),
    'seconds-per-start': number(600),
    'seconds-per-program': number(3600),
  },
  ...{
    'seconds-per-turn': number(60),
    minutes: number(600),
    workers: number(availableParallelism()),
    threads: number(2),
  },
};

const chosen = (given, all, what) => {
  const names = given === undefined ? all : given.split(',');
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new StepError(`unknown ${what}: ${unknown.join(', ')}`, `known are ${all.join(', ')}`, 2);
  return names;
};

const positive = (values, name) => {
  const value = Number(values[name]);
  if (!(value > 0) && !(name === 'offset' && value === 0))
    throw new StepError(`--${name} ${values[name]} is no number above 0`, '--help', 2);
  return value;
};

async function installed(folder) {
  const made = join(folder, 'kernloop');
  if (!existsSync(join(made, 'node_modules')))
    await createRequire(import.meta.url)(join(checkout, 'e2e/install.cjs')).install(made);
  return made;
}

/** The rows of all releases, and what is not installed, by name. */
async function prepare(folder, values, wanted, limits, softgpu) {
  const prepared = await Promise.all(
    wanted.releases.map(async (release) => {
      const place = join(folder, release);
      const root = await makeRoot(place, release, values.mirror ?? mirrorOf());
      const rows = [];
      const missing = [];
      for (const suite of wanted.suites) {
        const catalogue = suites[suite];
        const answer = await installSuite(place, suite, catalogue.packages);
        console.log(`${release}: ${suite}: ${answer.missing ?? Object.entries(answer.packages).flat().join(' ')}`);
        if (answer.missing) missing.push({ release, suite, why: answer.missing });
        else if (softgpu) {
          if (values.again) rmSync(join(place, 'results', softgpu.sha256, suite), { recursive: true, force: true });
          const found = await rowsOf({
            folder: place,
            release,
            suite,
            catalogue,
            installed: answer,
            targets: wanted.targets,
            softgpu,
            ...limits,
          });
          if (found.missing) missing.push({ release, suite, why: found.missing });
          else rows.push(...found);
        }
      }
      return { rows, missing, versions: [release, await rocmVersions(root)] };
    }),
  );
  return {
    rows: prepared.flatMap(({ rows }) => rows),
    missing: prepared.flatMap(({ missing }) => missing),
    versions: Object.fromEntries(prepared.map(({ versions }) => versions)),
  };
}

await runMain(async () => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return void process.stdout.write(help);
  if (positionals.length !== 1) throw new StepError('one FOLDER is wanted', 'node bench/rocm/suites.mjs --help', 2);
  requireRoot();
  const folder = resolve(positionals[0]);
  mkdirSync(folder, { recursive: true });
  const wanted = {
    releases: chosen(values.releases, releases, 'releases'),
    suites: chosen(values.suites, Object.keys(suites), 'suites'),
    targets: chosen(values.targets, allTargets, 'targets'),
  };
  const limits = {
    ...{ sample: positive(values, 'sample'), offset: positive(values, 'offset'), minutes: positive(values, 'minutes') },
    secondsPerCase: positive(values, 'seconds-per-case'),
    secondsPerStart: positive(values, 'seconds-per-start'),
    secondsPerProgram: positive(values, 'seconds-per-program'),
    secondsPerTurn: positive(values, 'seconds-per-turn'),
    threads: positive(values, 'threads'),
  };
  const workers = positive(values, 'workers');
  const stop = { aborted: false };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      stop.aborted = true;
      stopAll();
    });
  const isOnRocr = values.level === 'kfd';
  if (values.level !== undefined && !isOnRocr) throw new StepError(`unknown level ${values.level}`, 'kfd, or none', 2);
  const installation = async () => (values.kernloop ? resolve(values.kernloop) : installed(folder));
  const softgpu = values['only-roots']
    ? undefined
    : softgpuIn(isOnRocr ? undefined : await installation(), values.level);
  const { rows, missing, versions } = await prepare(folder, values, wanted, limits, softgpu);
  if (!softgpu) return;
  const told = (row, { path }) => {
    const { run, right, wrong, refused } = figuresOf(row);
    const name = path.split('/').at(-1);
    console.log(
      `${row.release} ${row.suite} ${row.target} (${name}): ${run} run, ${right} right, ${wrong} wrong, ${refused} refused`,
    );
  };
  // Under the limits of earlier runs.
  const kept_results = rows.map(figuresOf).reduce((sum, { run }) => sum + run, 0);
  await runAll(rows, { ...limits, workers, softgpu, told }, stop);
  const figures = rows.map(figuresOf).map(checked);
  const table = tableOf(figures, missing);
  console.log(`\n${table}\n\n${detailsOf(figures)}`);
  if (stop.aborted) throw new StepError('stopped', 'the same command goes on from here', 130);
  const result = {
    bench: 'rocm-suites',
    date: new Date().toISOString().slice(0, 10),
    commit: spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).stdout.trim(),
    kernloop: {
      version: JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version,
      softgpu_sha256: softgpu.sha256,
    },
    ...{ limits, kept_results, versions, not_installed: missing, rows: figures },
  };
  const file = `bench/results/${isOnRocr ? 'rocm-suites-rocr' : 'rocm-suites'}.json`;
  const path = join(checkout, file);
  const earlier = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  writeFileSync(path, evidenceOf(withEarlier(result, earlier)));
  console.log(`→ ${file}`);
  return figures.some(({ wrong }) => wrong > 0) ? 1 : 0;
});
