// compute-sanitizer's memcheck over a replay of every example's kernels. No CUPTI is used in such a process.
//   node bench/gpu-sanitizer.mjs
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, kernloop, must, native, run, workspace } from './gpu/host.mjs';

const apps = ['cuda-batched-scale', 'cuda-pipeline', 'pytorch-ops'];
const folder = workspace(apps);
const records = apps.flatMap((app) => {
  must(
    kernloop(['extract', '--app', join('apps', app), '--no-self-check'], { cwd: folder, limitSeconds: 500 }),
    'extract',
  );
  return readdirSync(join(folder, 'kernels', app)).map((kernel) => check(app, kernel));
});

function check(app, kernel) {
  const capture = join(folder, 'kernels', app, kernel, 'capture');
  const ended = run('compute-sanitizer', [
    ...['--tool', 'memcheck', '--error-exitcode', '99', join(native, 'bin', 'kernloop-replay')],
    ...['--capture', capture, '--store', join(folder, '.kernloop', 'store'), '--compare', '--limit-seconds', '120'],
  ]);
  return {
    app,
    kernel,
    exit: ended.code,
    summary: /ERROR SUMMARY: .*/.exec(ended.text)?.[0] ?? ended.text.slice(-300),
    verdict: /"event":"result".*?"verdict":"(\w+)"/.exec(ended.text)?.[1] ?? '-',
  };
}

conclude(
  'gpu-sanitizer',
  { tool: 'compute-sanitizer memcheck', records },
  [['app', 'kernel', 'replay', 'memcheck'], ...records.map((r) => [r.app, r.kernel, r.verdict, r.summary])],
  records.length > 0 &&
    records.every(({ summary, verdict }) => summary === 'ERROR SUMMARY: 0 errors' && verdict === 'pass'),
);
