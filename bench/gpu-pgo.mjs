// The whole PGO loop of CUDA over two machines: one with an NVIDIA GPU and no clang, and one with clang 22 and a CUDA
// toolkit. The workspace is copied between them as a folder; each step runs on the machine that it names.
//   node bench/gpu-pgo.mjs capture WS      GPU (nvcc, CMake): examples/pgo-branches is built by nvcc, and its four kernels are captured
//   node bench/gpu-pgo.mjs instrument WS   clang: pgo-instrument of each kernel and of the app
//   node bench/gpu-pgo.mjs count WS        GPU: pgo-generate of each kernel and of the app
//   node bench/gpu-pgo.mjs build WS        clang: pgo-merge and pgo-build, of the kernels and of the app; every counter against the host's
//   node bench/gpu-pgo.mjs use WS          GPU: pgo-use of each kernel and of the app; writes bench/results/gpu-pgo.json
// The host's counts are those of stock `clang++-22 -fprofile-generate` of the same source, run thread by thread.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { conclude, kernloop, must, root, rounded } from './gpu/host.mjs';

const kernels = ['evaluate', 'locate', 'multiply', 'lookup'];
const app = 'apps/pgo-branches';
const [step, given] = process.argv.slice(2);
const steps = { capture, instrument, count, build, use };
if (!Object.hasOwn(steps, step) || given === undefined)
  throw new Error(`usage: node bench/gpu-pgo.mjs ${Object.keys(steps).join('|')} FOLDER`);
const workspace = resolve(given);
const folder = (kernel) => join('kernels', 'pgo-branches', kernel);
const verb = (...words) => {
  const ended = must(kernloop(words, { cwd: workspace }), words.join(' '));
  process.stdout.write(ended.text);
};
const json = (...path) => JSON.parse(readFileSync(join(workspace, ...path), 'utf8'));
steps[step]();

function capture() {
  mkdirSync(join(workspace, 'apps'), { recursive: true });
  writeFileSync(join(workspace, 'nx.json'), '{}\n');
  cpSync(join(root, 'examples', 'pgo-branches'), join(workspace, app), { recursive: true });
  verb('extract', ...kernels, '--app', app);
}

function instrument() {
  for (const kernel of kernels) verb('pgo-instrument', folder(kernel));
  verb('pgo-instrument', app, '--sample', 'all');
}

function count() {
  for (const kernel of kernels) verb('pgo-generate', folder(kernel));
  verb('pgo-generate', app);
}

function build() {
  const host = hostCounts();
  const lanes = kernels.map((kernel) => {
    verb('pgo-merge', folder(kernel));
    verb('pgo-build', folder(kernel));
    return lanesOf(kernel, json(folder(kernel), 'pgo', 'merged.waves.json'), host);
  });
  verb('pgo-merge', app);
  verb('pgo-build', app);
  const ofApp = json(app, '.kernloop', 'pgo', 'merged.waves.json');
  const counted = { kernels: lanes, app: kernels.map((kernel) => lanesOf(kernel, ofApp, host)) };
  writeFileSync(join(workspace, 'lanes.json'), JSON.stringify(counted, null, 2));
  process.stdout.write(`${JSON.stringify(counted.kernels)}\n`);
}

/** Counters of the kernel's own function, compared with the host's, and its counts of uniform lanes. */
function lanesOf(kernel, { functions }, host) {
  const mine = functions.find(({ name }) => new RegExp(`^_Z\\d+${kernel}P`).test(name));
  const counters = mine.counters.map(Number);
  const expected = host[mine.name].counters;
  const isSame = BigInt(mine.hash) === host[mine.name].hash;
  return {
    kernel,
    hash: mine.hash,
    same_hash_as_stock: isSame,
    counters: counters.length,
    exact: counters.filter((value, index) => value === expected[index]).length,
    lanes: counters,
    // Lanes of a warp need not reach a block together on this hardware: waves are an upper bound of the count if they
    // did, and uniform lanes a lower bound.
    uniform_lanes_at_least: mine.uniform.map(Number),
    waves_at_most: mine.classes.map(({ waves }) => Number(waves)),
    fewest_waves_possible: counters.map((value) => Math.ceil(value / 32)),
    pattern: mine.pattern,
  };
}

/** Counts by name from LLVM's own instrumentation on the host, of kernels called once per thread. */
function hostCounts() {
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-pgo-host-'));
  const [program, raw] = [join(scratch, 'host'), join(scratch, 'host.profraw')];
  const source = join(root, 'bench', 'gpu-pgo', 'host.cpp');
  execFileSync('clang++-22', [
    '-O3',
    '-w',
    '-fprofile-generate',
    '-I',
    join(root, 'examples', 'pgo-branches'),
    source,
    '-o',
    program,
  ]);
  execFileSync(program, { env: { ...process.env, LLVM_PROFILE_FILE: raw } });
  const text = execFileSync('llvm-profdata-22', ['merge', '--text', raw, '-o', '-'], { encoding: 'utf8' });
  const blocks = text
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line !== '' && !/^[#:]/.test(line)));
  const named = blocks.filter(([name]) => /^_Z\d/.test(name ?? ''));
  return Object.fromEntries(
    named.map(([name, hash, size, ...counts]) => [
      name,
      { hash: BigInt(hash), counters: counts.slice(0, Number(size)).map(Number) },
    ]),
  );
}

function use() {
  for (const kernel of kernels) verb('pgo-use', folder(kernel), '--iterations', '60');
  verb('pgo-use', app, '--rounds', '9');
  const lanes = json('lanes.json');
  const choices = kernels.map((kernel) => {
    const { kept, reason, variants, compiler } = json(folder(kernel), 'pgo', 'choice.json');
    const shown = variants.map(({ name, verdict, time_ratio: timeRatio, time_ci95: timeCi95, judgement }) => ({
      name,
      verdict,
      timeRatio,
      timeCi95,
      judgement,
    }));
    return { kernel, compiler, kept, reason, variants: shown };
  });
  const ofApp = json(app, '.kernloop', 'pgo', 'choice.json');
  const ratio = (variants, name) => {
    const found = variants.find((one) => one.name === name)?.time_ratio;
    return found == null ? '-' : String(rounded(found));
  };
  const exact = ({ exact, counters }) => `${exact} of ${counters}`;
  const total = (name) => ofApp.builds.find((one) => one.name === name)?.total ?? 0;
  conclude(
    'gpu-pgo',
    {
      steps: {
        'capture, replay, pgo-generate, pgo-use': 'on the GPU, without clang',
        'pgo-instrument, pgo-merge, pgo-build': 'elsewhere, without a GPU',
      },
      lanes,
      choices,
      app: ofApp,
    },
    [
      ['kernel', 'lanes exact', 'in the app', 'base / nvcc', 'use / nvcc', 'kept'],
      ...choices.map(({ kernel, variants, kept }, index) => [
        kernel,
        exact(lanes.kernels[index]),
        exact(lanes.app[index]),
        ratio(variants, 'base'),
        ratio(variants, 'use'),
        kept ?? 'none',
      ]),
      [
        'the app',
        '',
        '',
        ...['base', 'use'].map((name) => String(rounded(total(name) / total('own')))),
        ofApp.kept ?? 'none',
      ],
    ],
    readdirSync(workspace).length > 0 &&
      [...lanes.kernels, ...lanes.app].every((one) => one.exact === one.counters) &&
      choices.some(({ kept }) => kept !== null) &&
      choices.some(({ kept }) => kept === null),
  );
}
