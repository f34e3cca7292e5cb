// Scope `reachable` against `all`, in one run, for an app with random bytes that its kernel never touches.
//   node bench/capture-scope.mjs [MIB=1024]
// Prints one JSON object: raw and stored bytes, seconds (the whole capture stage without its self-check), and the
// ratios.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const mebibytes = Number(process.argv[2] ?? 1024);
if (!Number.isInteger(mebibytes) || mebibytes < 1) {
  process.stderr.write('usage: node bench/capture-scope.mjs [MIB of memory that the kernel never touches]\n');
  process.exit(2);
}

const workspace = mkdtempSync(join(tmpdir(), 'kernloop-bench-'));
process.on('exit', () => rmSync(workspace, { recursive: true, force: true }));

const build = join(root, '.kernloop', 'bench', 'probe');
const environment = { ...process.env, HIP_PLATFORM: 'amd' };
const quiet = { env: environment, stdio: ['ignore', 'ignore', 'inherit'] };
execFileSync('cmake', ['-S', join(root, 'e2e', 'fixtures', 'probe'), '-B', build], quiet);
execFileSync('cmake', ['--build', build], quiet);

const app = join(workspace, 'app');
mkdirSync(app);
writeFileSync(join(workspace, 'nx.json'), '{}\n');
writeFileSync(
  join(app, 'kernloop.json'),
  JSON.stringify({
    name: 'linked',
    command: [join(build, 'probe'), 'linked', String(mebibytes)],
    kernels: [{ name: 'scale_linked', match: 'scale_linked' }],
  }),
);

function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

function measure(scope) {
  const output = join(workspace, scope, 'capture');
  const store = join(workspace, scope, 'store');
  const started = process.hrtime.bigint();
  const run = spawnSync(
    process.execPath,
    [
      join(root, 'bin', 'kernloop.js'),
      ...['capture', '--app', app, '--kernel', 'scale_linked', '--scope', scope],
      ...['--output', output, '--store', store, '--no-self-check'],
    ],
    { env: environment, encoding: 'utf8' },
  );
  if (run.status !== 0)
    throw new Error(`capture with scope ${scope} ended with ${run.status}:\n${run.stdout}${run.stderr}`);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const capture = JSON.parse(readFileSync(join(output, 'capture.json'), 'utf8'));
  return {
    seconds: Number(seconds.toFixed(2)),
    regions: capture.regions.length,
    raw_bytes: capture.regions.reduce((sum, region) => sum + region.size, 0),
    stored_bytes: bytesBelow(join(workspace, scope)),
  };
}

const reachable = measure('reachable');
const all = measure('all');
const ratio = (field) => Number((all[field] / reachable[field]).toFixed(1));
console.log(
  JSON.stringify(
    {
      bench: 'capture-scope',
      device: 'softgpu',
      untouched_mib: mebibytes,
      reachable,
      all,
      all_over_reachable: {
        seconds: ratio('seconds'),
        raw_bytes: ratio('raw_bytes'),
        stored_bytes: ratio('stored_bytes'),
      },
    },
    null,
    2,
  ),
);
