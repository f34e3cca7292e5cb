// `node bench/trace-read.mjs [--neutrino READER.py] [--records N] [--memory-mib N] [--python PROGRAM] [--output FILE.json]`: rows a second that readers get out of
// one trace file in one run, every field of every record read, and the sums of all fields equal. READER.py is what Neutrino generates for
// PROBE (`--probe-file` writes that probe.toml, for `python -m neutrino.utils.trace_reading`); it is none of ours and not committed, nor is its
// package: PYTHONPATH names a folder with `neutrino`. The native reader then reads a file larger than the memory that it is allowed.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const native = join(root, 'native', 'build', 'bin', 'kernloop-trace');

const probe = `regs = 3
[probe.all]
level = "warp"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"
[map.block_sched]
level = "warp"
type = "array"
size = 16
cap = 1
[map.block_sched.regs]
start = ["u64", "None"]
elapsed = ["u32", "None"]
cuid = ["u32", "None"]
`;
const fields = [
  { name: 'start', bytes: 8, offset: 0 },
  { name: 'elapsed', bytes: 4, offset: 8 },
  { name: 'cuid', bytes: 4, offset: 12 },
];
const maps = JSON.stringify([{ name: 'block_sched', level: 'warp', unit_bytes: 16, fields }]);

const { values } = parseArgs({
  options: {
    neutrino: { type: 'string' },
    'probe-file': { type: 'string' },
    records: { type: 'string', default: '2000000' },
    'memory-mib': { type: 'string', default: '64' },
    python: { type: 'string', default: join(root, 'python', '.venv', 'bin', 'python3') },
    output: { type: 'string' },
  },
});
if (values['probe-file']) {
  writeFileSync(values['probe-file'], probe);
  process.exit(0);
}

/** Blocks of one warp each; every value differs. */
function writeTrace(path, records) {
  const head = Buffer.alloc(48);
  [records, 1, 1, 32, 1, 1, 0, 1, 16, 32].forEach((word, index) => head.writeUInt32LE(word, 4 * index));
  head.writeBigUInt64LE(48n, 40);
  const file = openSync(path, 'w');
  writeSync(file, head);
  const batch = 1 << 18;
  const wide = new BigUint64Array(2 * batch);
  for (let first = 0; first < records; first += batch) {
    const count = Math.min(batch, records - first);
    for (let i = 0; i < count; i++) {
      const row = BigInt(first + i);
      wide[2 * i] = 0x7f0000000000n + row * 2654435761n;
      wide[2 * i + 1] = ((row * 40503n) & 0xffffffffn) | ((row % 132n) << 32n);
    }
    writeSync(file, new Uint8Array(wide.buffer, 0, 16 * count));
  }
  closeSync(file);
}

const seconds = (work) => {
  const begin = process.hrtime.bigint();
  const result = work();
  return { seconds: Number(process.hrtime.bigint() - begin) / 1e9, result };
};

function readNatively(path, prefix = []) {
  const [program, ...args] = [...prefix, native, 'summary', path, '--maps', maps];
  const text = execFileSync(program, args, { encoding: 'utf8' });
  const event = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .find((line) => line.event === 'map');
  return event.columns.map(({ sum }) => BigInt(sum).toString()).join(' ');
}

/** Time is taken inside, without the start of Python. */
function readInPython(code, path) {
  const ended = spawnSync(values.python, ['-B', '-c', code, path], { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  const [took, sums] = ended.stdout.trim().split(';');
  return { seconds: Number(took), result: sums };
}

/** Loads a reader from a file, whatever it is called. */
const load = (reader) => `import sys, time, importlib.util
spec = importlib.util.spec_from_file_location("reader", ${JSON.stringify(reader)}); reader = importlib.util.module_from_spec(spec); spec.loader.exec_module(reader)
begin = time.perf_counter()
`;
const perRecord = `_, _, records = reader.parse(sys.argv[1])
a = b = c = 0
for block in records["block_sched"]:
    for unit in block:
        for r in unit:
            a += r.start; b += r.elapsed; c += r.cuid
print(f"{time.perf_counter() - begin};{a % 2**64} {b} {c}")
`;
const perColumn = `import numpy as np
_, _, records = reader.parse(sys.argv[1])
m = records["block_sched"]
sums = [int(m[f].sum(dtype=np.uint64)) for f in ("start", "elapsed", "cuid")]
print(f"{time.perf_counter() - begin};{sums[0]} {sums[1]} {sums[2]}")
`;

const folder = mkdtempSync(join(tmpdir(), 'kernloop-bench-'));
try {
  const records = Number(values.records);
  const path = join(folder, 'a.bin');
  writeTrace(path, records);
  writeFileSync(join(folder, 'probe.toml'), probe);
  const generated = join(folder, 'read_trace.py');
  execFileSync(process.execPath, [
    join(root, 'bin', 'kernloop.js'),
    'trace',
    'gen',
    join(folder, 'probe.toml'),
    '--output',
    generated,
  ]);

  readNatively(path); // the file is in memory for all of them
  // The whole process of the native reader counts; the best of three of each, but for the slow one.
  const best = (work) => [0, 1, 2].map(work).sort((a, b) => a.seconds - b.seconds)[0];
  const rows = [
    ['kernloop-trace', best(() => seconds(() => readNatively(path)))],
    ["gen'd Python", best(() => readInPython(load(generated) + perColumn, path))],
    ...(values.neutrino
      ? [["Neutrino's generated reader", readInPython(load(values.neutrino) + perRecord, path)]]
      : []),
  ];
  const sums = new Set(rows.map(([, { result }]) => result));
  if (sums.size !== 1) throw new Error(`the readers do not agree: ${[...sums].join(' | ')}`);
  const slowest = rows.at(-1)[1].seconds;
  const table = rows.map(([reader, { seconds: took }]) => ({
    reader,
    rows_per_second: Math.round(records / took),
    times_the_last: Number((slowest / took).toFixed(1)),
  }));

  const budget = Number(values['memory-mib']);
  const large = join(folder, 'large.bin');
  writeTrace(large, Math.ceil((4 * budget * 2 ** 20) / 16));
  // The address space of the process is the budget: the file is four times as large.
  const bounded = readNatively(large, ['prlimit', `--as=${budget * 2 ** 20}`]);
  const result = {
    records,
    sums: [...sums][0],
    table,
    bounded: { address_space_mib: budget, file_mib: 4 * budget, sums: bounded },
  };
  console.table(table);
  console.log(`a file of ${4 * budget} MiB was read in an address space of ${budget} MiB`);
  if (values.output) writeFileSync(values.output, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
