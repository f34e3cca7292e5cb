// Capture of an app that uses over half of the device's memory; a replay checks it after the app has exited.
//   node bench/gpu-large.mjs [fraction=0.6]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, must, run, workspace } from './gpu/host.mjs';

const fraction = Number(process.argv[2] ?? 0.6);
const total = Number(
  must(run('nvidia-smi', ['--query-gpu=memory.total', '--format=csv,noheader,nounits']), 'nvidia-smi').stdout.split(
    '\n',
  )[0],
);
const ballast = Math.round((total * fraction) / 1024);
const folder = workspace(['pytorch-ops']);
const app = join(folder, 'apps', 'pytorch-ops');
const config = JSON.parse(readFileSync(join(app, 'kernloop.json'), 'utf8'));
writeFileSync(join(app, 'kernloop.json'), JSON.stringify({ ...config, command: [...config.command, String(ballast)] }));
const ended = kernloop(['extract', 'softmax', '--app', app], { cwd: folder, limitSeconds: 400 });
let verdict = `exit ${ended.code}`;
try {
  verdict = JSON.parse(
    readFileSync(join(folder, 'kernels', 'pytorch-ops', 'softmax', 'capture', 'selfcheck.json'), 'utf8'),
  ).verdict;
} catch {
  process.stderr.write(ended.text.slice(-2000));
}
conclude(
  'gpu-large',
  { device_memory_mib: total, held_gib: ballast, seconds: ended.seconds, selfcheck: verdict },
  [
    ['device memory', 'held by the app', 'seconds', 'self-check'],
    [`${(total / 1024).toFixed(0)} GiB`, `${ballast} GiB`, ended.seconds.toFixed(1), verdict],
  ],
  verdict === 'verified',
);
