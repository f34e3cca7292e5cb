// Rate of a large capture relative to the disk: an agent without a GPU streams incompressible memory to the recorder,
// which hashes it and writes it into a store, against raw writes of the same amount past the page cache, alternating in
// one run.
//   node bench/capture-throughput.mjs [GIB=4] [ROUNDS=3] [BUILD=native/build] [FOLDER=the system's temporary folder]
// Prints one JSON object. `ratio` is capture against the raw write, medians, both until everything is durable;
// `ring_gb_s` is the rate of agent and recorder if nothing is hashed or written (zeros); `compressible` has the same
// for "numbers" (12 bits in words of 32) and "sparse" memory (one word of 16 not zero), with the share of the bytes
// that is stored; `recorder_cpu_s_per_gb` is the recorder's CPU time for each 10^9 bytes. If the machine has less to
// spare at the disk's rate, its cores are the limit, and `ratio` says little about the disk.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [gib, rounds] = [process.argv[2] ?? 4, process.argv[3] ?? 3].map(Number);
if (!(gib > 0) || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write('usage: node bench/capture-throughput.mjs [GIB] [ROUNDS] [BUILD] [FOLDER]\n');
  process.exit(2);
}
const build = resolve(process.argv[4] ?? join(root, 'native', 'build'));
const recorderProgram = join(build, 'bin', 'kernloop-recorder');
const bench = join(build, 'bin', 'capture_throughput_bench');
for (const file of [recorderProgram, bench]) {
  if (existsSync(file)) continue;
  process.stderr.write(`${file} is missing: build the native tests, and then: ninja -C native/build benches\n`);
  process.exit(5);
}
const bytes = Math.round(gib * 2 ** 30);
const folder = mkdtempSync(join(resolve(process.argv[5] ?? tmpdir()), 'kernloop-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const loadBefore = Number(loadavg()[0].toFixed(1));
const now = () => performance.timeOrigin + performance.now();

function writeRaw() {
  const file = join(folder, 'raw');
  const threads = String(Math.min(16, Math.max(2, availableParallelism())));
  const output = execFileSync(bench, ['--write', file, '--bytes', String(bytes), '--threads', threads], {
    encoding: 'utf8',
  });
  rmSync(file);
  return JSON.parse(output).seconds;
}

/** Seconds until the capture is complete, and until the app could continue. */
async function capture(data = '', amount = bytes) {
  const [socket, config, output, store] = ['socket', 'config.json', 'capture', 'store'].map((name) =>
    join(folder, name),
  );
  const selection = { id: 's', match: '^tiny_kernel', scope: 'all', output };
  writeFileSync(config, JSON.stringify({ mode: 'capture', selections: [selection], store, tool_version: 'bench' }));
  const recorder = spawn(recorderProgram, ['--socket', socket, '--config', config], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => recorder.once('close', done));
  let agent;
  let captured;
  let usage;
  let stored;
  for await (const line of createInterface({ input: recorder.stdout })) {
    const event = JSON.parse(line);
    if (event.event === 'listening') {
      const child = spawn(bench, ['--socket', socket, '--bytes', String(amount), '--data', data], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      agent = new Promise((done) => {
        let said = '';
        child.stdout.on('data', (piece) => (said += piece));
        child.once('close', () => done(JSON.parse(said)));
      });
    } else if (event.event === 'captured') {
      captured = now();
      stored = event.bytes_stored;
      usage = usageOf(recorder.pid);
      recorder.stdin.end();
    } else if (event.event === 'refused') {
      throw new Error(`${event.code}: ${event.reason}`);
    }
  }
  await ended;
  const { began_ms, streamed_seconds } = await agent;
  for (const path of [output, store]) rmSync(path, { recursive: true, force: true });
  return { seconds: (captured - began_ms) / 1000, streamed: streamed_seconds, stored, ...usage };
}

/** Peak memory in bytes and CPU seconds of a process; a clock tick is 10 ms on every Linux that Node supports. */
function usageOf(pid) {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return { peakRss: Number(peak[1]) * 1024, cpu: (Number(fields[11]) + Number(fields[12])) / 100 };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const samples = { raw: [], capture: [], streamed: [], peakRss: [], cpu: [], ring: [] };
// Compression may take several times as long: a quarter of the bytes suffices to measure the rate.
const kindBytes = bytes / 4;
const kinds = { numbers: [], sparse: [] };
for (let round = 0; round < rounds; round += 1) {
  samples.raw.push(writeRaw());
  const { seconds, streamed, peakRss, cpu } = await capture();
  samples.capture.push(seconds);
  samples.streamed.push(streamed);
  samples.peakRss.push(peakRss);
  samples.cpu.push(cpu);
  samples.ring.push((await capture('zeros')).seconds);
  for (const kind of Object.keys(kinds)) kinds[kind].push(await capture(kind, kindBytes));
}
const rate = (seconds, amount = bytes) => Number((amount / 1e9 / seconds).toFixed(3));
const rawRate = rate(median(samples.raw));
const cpuPerGb = Number((median(samples.cpu) / (bytes / 1e9)).toFixed(3));
const coresNeeded = Number((rawRate * cpuPerGb).toFixed(2));
console.log(
  JSON.stringify(
    {
      bench: 'capture-throughput',
      date: new Date().toISOString(),
      cpu: cpus()[0]?.model,
      cores: availableParallelism(),
      load_before: loadBefore,
      bytes,
      rounds,
      raw_write_gb_s: rawRate,
      capture_gb_s: rate(median(samples.capture)),
      streamed_gb_s: rate(median(samples.streamed)),
      ring_gb_s: rate(median(samples.ring)),
      recorder_cpu_s_per_gb: cpuPerGb,
      cores_needed_at_raw_rate: coresNeeded,
      ratio: Number((median(samples.raw) / median(samples.capture)).toFixed(3)),
      compressible: Object.fromEntries(
        Object.entries(kinds).map(([kind, captures]) => {
          const seconds = median(captures.map((one) => one.seconds));
          const kindRate = rate(seconds, kindBytes);
          const share = Number((captures[0].stored / kindBytes).toFixed(3));
          return [
            kind,
            { capture_gb_s: kindRate, ratio: Number((kindRate / rawRate).toFixed(3)), stored_share: share },
          ];
        }),
      ),
      samples: { raw_seconds: samples.raw, capture_seconds: samples.capture },
      recorder_peak_rss_bytes: Math.max(...samples.peakRss),
    },
    null,
    2,
  ),
);
