// A PyTorch process with much memory, of which the captured kernel touches little: scope `reachable` against `all`, in
// bytes and seconds, beside a pinned device-to-host copy and a raw disk write of the same run.
//   node bench/gpu-scope.mjs [ballast GiB=16]
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, median, must, rounded, run, workspace } from './gpu/host.mjs';

const ballast = Number(process.argv[2] ?? 16);
const folder = workspace(['pytorch-ops']);
const app = join(folder, 'apps', 'pytorch-ops');
const gigabyte = 1e9;

function deviceToHostRate() {
  const source = `
import torch, time
a = torch.empty(1 << 30, dtype=torch.uint8, device='cuda'); b = torch.empty(1 << 30, dtype=torch.uint8, pin_memory=True)
b.copy_(a); torch.cuda.synchronize(); t = time.perf_counter()
for _ in range(4): b.copy_(a)
torch.cuda.synchronize(); print('rate', 4 * (1 << 30) / (time.perf_counter() - t))`;
  return Number(/rate ([\d.e+]+)/.exec(must(run('python3', ['-c', source]), 'device-to-host copy').text)[1]);
}

/** Best rate with O_DIRECT of one writer and of four at once. */
function diskRate() {
  const write = (writers, mebibytes) => {
    const one = (i) => `dd if=/dev/zero of=raw${i} bs=16M count=${mebibytes / 16} oflag=direct conv=fsync 2>/dev/null`;
    const ended = run('sh', ['-c', `${Array.from({ length: writers }, (_, i) => `${one(i)} &`).join(' ')} wait`], {
      cwd: folder,
    });
    run('sh', ['-c', 'rm -f raw*'], { cwd: folder });
    return (writers * mebibytes * 2 ** 20) / must(ended, 'dd').seconds;
  };
  return Math.max(write(1, 4096), write(4, 1024));
}

function plainSeconds() {
  return median([0, 1].map(() => must(run('python3', ['ops.py', String(ballast)], { cwd: app }), 'the app').seconds));
}

function bytesBelow(path) {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

const config = JSON.parse(readFileSync(join(app, 'kernloop.json'), 'utf8'));
writeFileSync(join(app, 'kernloop.json'), JSON.stringify({ ...config, command: [...config.command, String(ballast)] }));

/** Timed without the self-check, which starts another process; then repeated with it for the verdict. */
function capture(scope, plain) {
  const place = join(folder, scope);
  const args = ['capture', '--app', app, '--kernel', 'softmax', '--scope', scope, '--max-bytes', '0'];
  const into = ['--output', join(place, 'capture'), '--store', join(place, 'store')];
  const timed = must(
    kernloop([...args, ...into, '--no-self-check'], { cwd: folder, limitSeconds: 500 }),
    `capture with scope ${scope}`,
  );
  const manifest = JSON.parse(readFileSync(join(place, 'capture', 'capture.json'), 'utf8'));
  const stored = bytesBelow(place);
  rmSync(place, { recursive: true, force: true });
  const checked = kernloop([...args, ...into], { cwd: folder, limitSeconds: 500 });
  let verdict = `exit ${checked.code}`;
  try {
    verdict = JSON.parse(readFileSync(join(place, 'capture', 'selfcheck.json'), 'utf8')).verdict;
  } catch {
    process.stderr.write(checked.text.slice(-2000));
  }
  rmSync(place, { recursive: true, force: true });
  const raw = manifest.regions.reduce((sum, { size }) => sum + size, 0);
  const seconds = timed.seconds - plain;
  return {
    scope,
    raw_bytes: raw,
    stored_bytes: stored,
    seconds_with_app: rounded(timed.seconds),
    seconds,
    bytes_per_second: raw / seconds,
    verdict,
  };
}

const copy = deviceToHostRate();
const plain = plainSeconds();
const before = diskRate();
const reachable = capture('reachable', plain);
const all = capture('all', plain);
const disk = Math.max(before, diskRate());
const limit = Math.min(copy, disk);
const fraction = all.bytes_per_second / limit;
const rate = (value) => `${(value / gigabyte).toFixed(2)} GB/s`;
conclude(
  'gpu-scope',
  {
    ballast_gib: ballast,
    app_seconds: rounded(plain),
    device_to_host_bytes_per_second: Math.round(copy),
    disk_write_bytes_per_second: Math.round(disk),
    reachable,
    all,
    all_over_limit: rounded(fraction),
  },
  [
    ['', 'raw bytes', 'stored bytes', 'seconds', 'rate', 'self-check'],
    ...[reachable, all].map((r) => [
      r.scope,
      r.raw_bytes,
      r.stored_bytes,
      r.seconds.toFixed(2),
      rate(r.bytes_per_second),
      r.verdict,
    ]),
    ['pinned device-to-host copy', '', '', '', rate(copy), ''],
    ['raw disk write', '', '', '', rate(disk), ''],
    ['all, of the slower of the two', '', '', '', `${(100 * fraction).toFixed(0)} %`, ''],
  ],
  fraction >= 0.8 &&
    [reachable, all].every(({ verdict }) => verdict === 'verified') &&
    reachable.raw_bytes <= 200 * 2 ** 20,
);
