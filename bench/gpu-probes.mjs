// Kernloop's own probes on this machine's GPU: kernels of the CUDA examples (nvcc) and of Triton, each with every
// probe. Counts are compared with the host's, memory with the app's, registers and time with the kernel without probes.
// Two kernels that work in place have their records counted first: with memory restored in between, as Kernloop does,
// and without, as Neutrino does.
//   node bench/gpu-probes.mjs
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, inParallel, kernloopCommand, must, root, rounded, run, workspace } from './gpu/host.mjs';

const probes = ['block_sched', 'dmat', 'gmem_bytes', 'tensorop', 'program_progress'];
const elements = (1 << 18) + 80;
const [rows, columns, n] = [1024, 1000, 512];
const blocksFor = (count) => Math.ceil(count / 256);
const mask = (1n << 64n) - 1n;
const sum = (values) => values.reduce((total, value) => total + value, 0n);
/** Sum of `count` numbers start, start + step, … */
const series = (start, step, count) => (BigInt(count) * (2n * start + step * BigInt(count - 1))) / 2n;

/** Bins that the threads of each block hit, with the example's input. */
function histogramAtomics(bins) {
  const met = Array.from({ length: 528 }, () => new Set());
  for (let i = 0, state = 12345; i < elements; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const random = state >>> 8;
    met[Math.floor(i / 256) % 528].add((random ^ (random >>> 7)) & 255);
  }
  const hit = met.flatMap((one) => [...one]);
  return { count: hit.length, addresses: sum(hit.map((bin) => bins + BigInt(4 * bin))) };
}

/**
 * Facts about each kernel, computed on the host: blocks and threads, bytes and addresses of accesses, matrix
 * instructions.
 */
const kernels = [
  {
    ...{ app: 'cuda-pipeline', kernel: 'saxpy', blocks: blocksFor(elements), threads: 256, tensorops: 0 },
    bytes: { sync_bytes: 12 * elements, async_bytes: 0 },
    addresses: ([, x, y]) => ({
      count: 3 * elements,
      sum: series(x, 4n, elements) + 2n * series(y, 4n, elements),
    }),
  },
  {
    ...{ app: 'cuda-pipeline', kernel: 'block_sums', blocks: 1056, threads: 256, tensorops: 0 },
    bytes: { sync_bytes: 4 * elements + 4 * 1056, async_bytes: 0 },
    addresses: ([x, sums]) => ({ count: elements + 1056, sum: series(x, 4n, elements) + series(sums, 4n, 1056) }),
  },
  {
    ...{ app: 'cuda-pipeline', kernel: 'histogram', blocks: 528, threads: 256, tensorops: 0 },
    bytes: { sync_bytes: elements + 4 * histogramAtomics(0n).count, async_bytes: 0 },
    addresses: ([x, bins]) => {
      const atomics = histogramAtomics(bins);
      return { count: elements + atomics.count, sum: series(x, 1n, elements) + atomics.addresses };
    },
  },
  {
    ...{ app: 'cuda-pipeline', kernel: 'clamp_to_range', blocks: blocksFor(elements), threads: 256, tensorops: 0 },
    bytes: { sync_bytes: 8 * elements, async_bytes: 0 },
    addresses: ([x]) => ({ count: 2 * elements, sum: 2n * series(x, 4n, elements) }),
  },
  {
    ...{ app: 'probed-triton', kernel: 'softmax_rows', blocks: rows, threads: 128, tensorops: 0 },
    bytes: { sync_bytes: 8 * rows * columns, async_bytes: 0 },
    addresses: null, // access width is Triton's choice
  },
  {
    // Two instructions of k = 16 in each of 16 steps, in each of the four warps of a block.
    ...{
      app: 'probed-triton',
      kernel: 'multiply',
      blocks: (n / 64) ** 2,
      threads: 128,
      tensorops: (n / 64) ** 2 * 4 * 32,
    },
    bytes: { sync_bytes: 4 * n * n, async_bytes: (n / 64) ** 2 * (n / 32) * 2 * (64 * 32 * 2) },
    addresses: null,
  },
];

const folder = workspace(['cuda-pipeline']);
cpSync(join(root, 'bench', 'gpu', 'probed-triton'), join(folder, 'apps', 'probed-triton'), { recursive: true });
const config = join(folder, 'apps', 'cuda-pipeline', 'kernloop.json');
const pipeline = JSON.parse(readFileSync(config, 'utf8'));
pipeline.command.push(String(elements));
writeFileSync(config, JSON.stringify(pipeline));

const apps = [...new Set(kernels.map(({ app }) => app))];
const named = (app) => kernels.filter((one) => one.app === app).map(({ kernel }) => kernel);
const extracted = await inParallel(
  apps.length,
  apps.map((app) => kernloopCommand(['extract', ...named(app), '--app', join('apps', app)], { cwd: folder })),
);
extracted.forEach((ended, index) => must(ended, `extract of ${apps[index]}`));

/** Processes wait for each other on the GPU; other work runs in parallel. */
const work = kernels.flatMap((of) => probes.map((probe) => ({ ...of, probe })));
const verb = (args) => kernloopCommand([...args, '--json'], { cwd: folder });
const reproducerOf = ({ app, kernel }) => join('kernels', app, kernel);
const outputOf = (one, kind) => join(folder, kind, one.app, one.kernel, one.probe);
for (const one of work) mkdirSync(outputOf(one, 'traces'), { recursive: true });
const traced = await inParallel(
  6,
  work.map((one) =>
    verb([
      ...['trace', 'run', '--reproducer', reproducerOf(one), '--probe', one.probe],
      ...['--variant', 'none', '--output', outputOf(one, 'traces')],
    ]),
  ),
);
const resultOf = ({ text }) => {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)).result;
  } catch {
    return undefined;
  }
};
const traces = traced.map(resultOf);
const read = await inParallel(
  8,
  traces.map((trace) => verb(['trace', 'read', trace?.folder ?? 'nothing'])),
);
const kernelFolder = (trace) => {
  const [name] = readdirSync(join(trace.folder, 'kernel'));
  return join(trace.folder, 'kernel', name);
};
const replays = ['--iterations', '15'];
const [plain, probed] = [
  await inParallel(
    3,
    kernels.map((one) => verb(['replay', '--reproducer', reproducerOf(one), '--variant', 'none', ...replays])),
  ),
  await inParallel(
    3,
    work.map((one, index) => {
      const code = traces[index] ? kernelFolder(traces[index]) : 'nothing';
      const lens = ['--lens', join(code, 'lens.json'), '--lens-output', outputOf(one, 'lenses')];
      return verb([
        'replay',
        '--reproducer',
        reproducerOf(one),
        '--variant',
        join(code, 'probed.bin'),
        ...lens,
        ...replays,
      ]);
    }),
  ),
];
const medianOf = (ended) => resultOf(ended)?.duration_ns?.median;

function kernargOf(one) {
  const { kernarg } = JSON.parse(readFileSync(join(folder, reproducerOf(one), 'capture', 'capture.json'), 'utf8'));
  const bytes = Buffer.from(kernarg.hex, 'hex');
  return Array.from({ length: bytes.length >> 3 }, (_, index) => bytes.readBigUInt64LE(index * 8));
}

/** Differences between the records and the host's facts; empty if all are equal. */
function differences(one, [launch], file) {
  const found = [];
  const hold = (what, actual, expected) => {
    if (actual !== expected) found.push(`${what}: ${actual}, and the host says ${expected}`);
  };
  const [map] = launch.maps;
  const column = (name) => file?.maps[0]?.columns.find((other) => other.name === name);
  const total = (name) => BigInt(column(name)?.sum ?? '-1');
  hold('units', map.units, one.blocks * (map.level === 'warp' ? one.threads / 32 : one.threads));
  if (one.probe === 'block_sched') {
    hold('records', map.kept, (one.blocks * one.threads) / 32);
    hold('records of a warp', map.most, 1);
    hold('warps with a start', column('start')?.nonzero, map.units);
    if (BigInt(column('cuid')?.most ?? '-1') >= 132n) found.push('a processor that an H200 does not have');
  } else if (one.probe === 'gmem_bytes') {
    for (const [name, bytes] of Object.entries(one.bytes)) hold(name, total(name), BigInt(bytes));
  } else if (one.probe === 'tensorop') {
    hold('matrix instructions', total('count'), BigInt(one.tensorops));
  } else if (one.probe === 'dmat' && one.addresses) {
    const expected = one.addresses(kernargOf(one));
    hold('accesses', map.kept, expected.count);
    hold('sum of the addresses', total('addr'), expected.sum & mask);
  }
  return found;
}

const records = work.map((one, index) => {
  const trace = traces[index];
  const [before, after] = [medianOf(plain[Math.floor(index / probes.length)]), medianOf(probed[index])];
  const label = { app: one.app, kernel: one.kernel, probe: one.probe };
  if (!trace || !before || !after) {
    const ended = trace ? probed[index] : traced[index];
    return { ...label, failed: ended.text.slice(-1500), code: ended.code };
  }
  const [launch] = trace.launches;
  const [map] = launch.maps;
  return {
    ...label,
    verdict: launch.verdict,
    differing_bytes: {
      without: launch.differing_bytes_without,
      with: launch.differing_bytes,
      of: launch.compared_bytes,
    },
    registers: launch.registers,
    microseconds: { without: rounded(before / 1000, 2), with: rounded(after / 1000, 2) },
    slowdown: rounded(after / before, 2),
    ...{ records: map.kept, dropped: map.dropped, counted_first: launch.counted, left_out: launch.left_out },
    against_host: differences(one, trace.launches, resultOf(read[index])?.results[0]),
    code: traced[index].code,
  };
});

/** The counting run on the program's own data, as Neutrino's driver does it, and the same with memory restored. */
const in_place = ['saxpy', 'histogram'].map((kernel) => {
  const index = work.findIndex((one) => one.kernel === kernel && one.probe === 'dmat');
  const trace = traces[index];
  if (!trace) return { kernel, failed: true };
  const script = join(root, 'bench', 'gpu', 'counting_first.py');
  const ended = run('python3', [script, kernel, join(kernelFolder(trace), 'probed.bin'), trace.symbol]);
  return ended.code === 0
    ? { ...JSON.parse(ended.stdout), kernloop: records[index].differing_bytes }
    : { kernel, failed: ended.text };
});

/** The host knows only the number of units for branches, and for accesses whose width Triton chooses. */
const isCounted = ({ app, probe }) => probe !== 'program_progress' && !(probe === 'dmat' && app === 'probed-triton');
const isRight = (record) =>
  record.code === 0 &&
  record.verdict === 'pass' &&
  record.differing_bytes.with === 0 &&
  record.differing_bytes.without === 0 &&
  record.dropped === 0 &&
  record.against_host.length === 0;
const isShown = ({ wrong }) => wrong && wrong['not restored'] > 0 && wrong.restored === 0;
for (const { kernel, values, wrong, failed } of in_place)
  console.log(
    failed
      ? `${kernel}: ${failed}`
      : `${kernel} under dmat, of ${values} values wrong: ${wrong['not restored']} where records are counted on the data itself, ${wrong.restored} where memory is put back`,
  );
for (const { app, kernel, probe, failed, against_host } of records)
  for (const line of failed ? [failed] : against_host) console.log(`${app}/${kernel} ${probe}: ${line}`);
conclude(
  'gpu-probes',
  { records, in_place },
  [
    [
      'kernel',
      'probe',
      'registers',
      'us',
      'slowdown',
      'records',
      'dropped',
      'differing bytes',
      'counts as the host says',
    ],
    ...records.map((record) =>
      record.failed
        ? [`${record.app}/${record.kernel}`, record.probe, 'failed']
        : [
            ...[`${record.app}/${record.kernel}`, record.probe],
            `${record.registers.before} + ${record.registers.after - record.registers.before}`,
            ...[record.microseconds.without, `${record.slowdown}x`, record.records, record.dropped],
            `${record.differing_bytes.with} of ${record.differing_bytes.of}`,
            record.against_host.length > 0 ? 'NO' : isCounted(record) ? 'yes' : '-',
          ],
    ),
  ],
  records.every(isRight) && in_place.every(isShown),
);
