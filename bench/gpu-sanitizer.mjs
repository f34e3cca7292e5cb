// compute-sanitizer's memcheck over a replay of every example's kernels. These processes do not use CUPTI.
//   node bench/gpu-sanitizer.mjs
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, inParallel, kernloop, must, native, workspace } from './gpu/host.mjs';

const apps = ['cuda-batched-scale', 'cuda-pipeline', 'cupy-kernels', 'pytorch-ops'];
const folder = workspace(apps);
const kernels = apps.flatMap((app) => {
  must(
    kernloop(['extract', '--app', join('apps', app), '--no-self-check'], { cwd: folder, limitSeconds: 500 }),
    'extract',
  );
  return readdirSync(join(folder, 'kernels', app)).map((kernel) => ({ app, kernel }));
});
const ends = await inParallel(
  4,
  kernels.map(({ app, kernel }) => [
    'compute-sanitizer',
    [
      ...['--tool', 'memcheck', '--error-exitcode', '99', join(native, 'bin', 'kernloop-replay')],
      ...['--capture', join(folder, 'kernels', app, kernel, 'capture'), '--store', join(folder, '.kernloop', 'store')],
      ...['--compare', '--limit-seconds', '200'],
    ],
  ]),
);
const records = kernels.map(({ app, kernel }, index) => ({
  app,
  kernel,
  exit: ends[index].code,
  summary: /ERROR SUMMARY: .*/.exec(ends[index].text)?.[0] ?? ends[index].text.slice(-300),
  verdict: /"event":"result".*?"verdict":"(\w+)"/.exec(ends[index].text)?.[1] ?? '-',
  cupti: /no CUPTI/.test(ends[index].text) ? 'not used' : 'used',
}));

conclude(
  'gpu-sanitizer',
  { tool: 'compute-sanitizer memcheck', records },
  [['app', 'kernel', 'replay', 'memcheck'], ...records.map((r) => [r.app, r.kernel, r.verdict, r.summary])],
  records.length > 0 &&
    records.every(({ summary, verdict }) => summary === 'ERROR SUMMARY: 0 errors' && verdict === 'pass') &&
    records.every(({ cupti }) => cupti === 'not used'),
);
