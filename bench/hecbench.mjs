// HeCBench's HIP programs on the software GPU: which end in time, and what they say of themselves.
//   git clone https://github.com/zjin-lcf/HeCBench FOLDER
//   node bench/hecbench.mjs FOLDER [--every 5] [--limit-seconds 45] [--jobs 2] [--threads 1]
// Every fifth program is built for gfx90a by hipcc and runs once, with the sizes of its Makefile's target `run`; the number of
// repeats is 1. Evidence goes to bench/results/hecbench.json. Needs `npm run build:native`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runMain, StepError, table } from '../tools/console.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '5' },
    'limit-seconds': { type: 'string', default: '45' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    threads: { type: 'string', default: '1' },
  },
});

/** Arguments with one repeat, where the repeats are not the last number of the command. */
const withOneRepeat = {
  'bitonic-sort': '25 2',
  bwt: '10000000',
  eikonal: '-s 512',
  gemv: '-s 16384 -i 1 -x 512 -y 2',
  hotspot3D: '512 8 1 ../data/hotspot3D/power_512x8 ../data/hotspot3D/temp_512x8 output.out',
  laplace3d: '128 128 128 1 1',
  lud: '-s 8192',
  mallocFree: '536870912',
  mcmd: 'mcmd.inp',
  minisweep: '--niterations 1',
  nbody: '16000 3',
  particlefilter: '-x 128 -y 128 -z 10 -np 400000',
  quicksort: '1 2048 2048',
  rfs: '1 5000000',
  rsc: '-f ../rsc-cuda/input/vectors.csv -g 512',
  scatterAdd: '10000000 32 8 1',
  sc: '-a 0.1',
  su3: '-i 1 -l 32 -t 128 -v 3 -w 1',
  threadfence: '1 100000000',
  tsp: '../tsp-cuda/d493.tsp 24 1',
};

/** Programs that are not right by themselves, each read and tried: none of them is a mistake of the software GPU. */
const ownMistakes = {
  bscan: 'counts a warp of 64 lanes with masks of 32 bits, and writes past its LDS (reported)',
  gemv: 'HIP 5.2.3 declares the halves of __half2 as unsigned short, and the program takes their integers for numbers',
  lda: 'writes the sum of a block while others read it (KERNLOOP_SOFTGPU_CHECK=races names the places); with one barrier more it is right',
  simpleSpmv: 'all lanes of a row store their partial sums to one address; right where the first one alone does',
  tqs: 'reads the queue past its end (a fault that names the access)',
};

/** The command of `run` in a Makefile: program and arguments; undefined where it is more than that. */
function commandOf(folder, name) {
  const [, lines] = /^run:.*\n((?:\t.*\n?)+)/m.exec(readFileSync(join(folder, 'Makefile'), 'utf8')) ?? [];
  const [, words] = /^\t\$\(LAUNCHER\) \.\/(?:\$\(program\)|main)(.*)$/m.exec(lines ?? '') ?? [];
  if (words === undefined) return undefined;
  const args = (withOneRepeat[name] ?? words.replace(/;.*/, '').replace(/(\s)\d+\s*$/, '$11')).trim();
  return args === '' ? [] : args.split(/\s+/);
}

/** Builds a program; returns why there is none, or undefined. */
function whyNotBuilt(folder) {
  const made = spawnSync('make', ['-s', 'CC=hipcc --offload-arch=gfx90a -w'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 150_000,
    env: { ...process.env, HCC_AMDGPU_TARGET: 'gfx90a' },
  });
  if (existsSync(join(folder, 'main'))) return undefined;
  return /^.*(?:error: |cannot find ).*$/m.exec(made.stderr ?? '')?.[0].replace(/^\S+ (fatal )?/, '') ?? 'make failed';
}

function run(folder, args) {
  const started = performance.now();
  return new Promise((done) => {
    const child = spawn(join(folder, 'main'), args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        LD_LIBRARY_PATH: join(root, 'native', 'build', 'lib', 'softgpu'),
        KERNLOOP_SOFTGPU: 'gfx90a',
        KERNLOOP_SOFTGPU_THREADS: values.threads,
      },
    });
    // A program prints its result last.
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (said = (said + String(text)).slice(-65_536)));
    const limit = setTimeout(() => child.kill('SIGKILL'), Number(values['limit-seconds']) * 1000);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      done({ code, signal, said, seconds: Math.round((performance.now() - started) / 100) / 10 });
    });
  });
}

const fails = (said) => /\bfail(ed|ure)?\b|mismatch|\bnan\b|\binf\b/i.test(said) || /kernloop softgpu: /.test(said);

function verdictOf(name, { code, signal, said }) {
  if (signal === 'SIGKILL') return 'out of time';
  if (ownMistakes[name] !== undefined) return 'its own mistake';
  if (code !== 0 || fails(said)) return 'failed';
  return /\bpass(ed)?\b/i.test(said) ? 'right' : 'ended';
}

await runMain(async () => {
  const [checkout] = positionals;
  if (!checkout || !existsSync(join(checkout, 'src')))
    throw new StepError('no HeCBench', 'node bench/hecbench.mjs FOLDER, with FOLDER from git clone', 2);
  const sources = resolve(checkout, 'src');
  const names = readdirSync(sources)
    .filter((name) => name.endsWith('-hip') && existsSync(join(sources, name, 'Makefile')))
    .sort()
    .filter((_, index) => index % Number(values.every) === 0)
    .map((name) => name.slice(0, -4));
  const rows = [];
  const worker = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const folder = join(sources, `${name}-hip`);
      const args = commandOf(folder, name);
      const missing = args?.find((word) => word.startsWith('../') && !existsSync(join(folder, word)));
      const why = missing ? `no ${missing}` : (whyNotBuilt(folder) ?? (args ? undefined : 'more than one command'));
      const ended = why === undefined ? await run(folder, args) : undefined;
      const verdict = ended ? verdictOf(name, ended) : 'not run';
      rows.push({ name, verdict, ...(ended ? { args: args.join(' '), seconds: ended.seconds } : { why }) });
      console.log([name, verdict, ended?.seconds ?? why].join('  '));
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  const of = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const words = ['right', 'ended', 'its own mistake', 'failed', 'out of time', 'not run'];
  console.log(`\n${table([['verdict', 'programs'], ...words.map((word) => [word, of(word)])])}`);
  writeFileSync(
    join(root, 'bench', 'results', 'hecbench.json'),
    `${JSON.stringify({ ...values, ownMistakes, programs: rows }, null, 2)}\n`,
  );
  return of('failed') > 0 ? 1 : 0;
});
