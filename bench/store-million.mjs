// A store with a million chunks: seconds and peak memory of `kernloop-archive` store-verify, store-stats and store-gc,
// beside smaller stores.
//   node bench/store-million.mjs [--counts 10000,100000,1000000] [--work DIR] [--write]
// Needs the native build. Chunks have 64 bytes, so that the cost per chunk is measured, not the disk. Captures of 5,000
// chunks each name half of them; gc removes the other half. Prints one JSON object, and writes it to
// bench/results/store-million.json with --write.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '10000,100000,1000000' },
    work: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const work = values.work ?? mkdtempSync(join(tmpdir(), 'kernloop-million-'));
const golden = JSON.parse(readFileSync(join(root, 'native/archive/test/golden/capture-v1/capture.json'), 'utf8'));
const perCapture = 5000;

function generate(folder, count) {
  const store = join(folder, 'store');
  for (let first = 0; first < 256; first += 1)
    mkdirSync(join(store, first.toString(16).padStart(2, '0')), { recursive: true });
  let named = [];
  for (let index = 0; index < count; index += 1) {
    const content = Buffer.alloc(64);
    content.writeUInt32LE(index);
    const digest = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(store, digest.slice(0, 2), digest), content);
    if (index % 2 === 0) named.push(digest);
    if (named.length < perCapture && index + 1 < count) continue;
    const capture = join(folder, 'captures', String(index), 'capture');
    mkdirSync(capture, { recursive: true });
    writeFileSync(join(capture, 'capture.json'), JSON.stringify(captureOf(named)));
    named = [];
  }
  return store;
}

function captureOf(digests) {
  const regions = digests.map((digest, index) => ({
    ...golden.regions[0],
    id: `r${index}`,
    base: `0x${(0x500000000000 + 4096 * index).toString(16)}`,
    size: 64,
    pre: { ...golden.regions[0].pre, chunks: [digest] },
    post: { ...golden.regions[0].post, chunks: [digest] },
  }));
  return { ...golden, kernarg: { ...golden.kernarg, slots: [] }, regions };
}

const timed = `
import json, os, resource, subprocess, sys, time
begin = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
text = child.stdout.read()
code = child.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({'code': code, 'wall_s': round(time.monotonic() - begin, 2), 'cpu_s': round(used.ru_utime + used.ru_stime, 2),
                  'peak_mib': round(used.ru_maxrss / 1024), 'event': json.loads(text)}))
`;

function taking(args, most) {
  const archive = join(root, 'native/build/bin/kernloop-archive');
  const ended = spawnSync('python3', ['-c', timed, archive, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ended.status !== 0) throw new Error(ended.stderr);
  const { code, event, ...cost } = JSON.parse(ended.stdout);
  if (code > most || event.event === 'error')
    throw new Error(`${args.join(' ')}: ${JSON.stringify(event).slice(0, 1000)}`);
  return { cost, event };
}

const stores = [];
for (const count of values.counts.split(',').map(Number)) {
  const folder = join(work, String(count));
  const store = generate(folder, count);
  const roots = ['--root', join(folder, 'captures')];
  // No store here has the code object of the golden capture, so verify reports it with exit code 1.
  const verified = taking(['store-verify', store, ...roots], 1);
  const stats = taking(['store-stats', store, ...roots], 0);
  const collected = taking(['store-gc', store, ...roots, '--grace-seconds', '0'], 0);
  if (verified.event.chunks !== count || verified.event.damaged_count !== 0) throw new Error('not all verified');
  if (collected.event.chunks_removed !== count / 2) throw new Error(JSON.stringify(collected.event));
  stores.push({ chunks: count, verify: verified.cost, stats: stats.cost, gc: collected.cost });
  rmSync(folder, { recursive: true, force: true });
}
const result = {
  machine: { cpu: cpus()[0]?.model ?? '?', cores: cpus().length, memory_gib: Math.round(totalmem() / 2 ** 30) },
  load: +loadavg()[0].toFixed(2),
  stores,
};
const text = `${JSON.stringify(result, null, 2)}\n`;
process.stdout.write(text);
if (values.write) writeFileSync(join(root, 'bench/results/store-million.json'), text);
if (!values.work) rmSync(work, { recursive: true, force: true });
