// Every CUDA example on this machine's GPU: captured, self-checked, replayed in 20 fresh processes, validated; a variant that does nothing
// and one that is off by one unit in the last place are caught.
//   node bench/gpu-examples.mjs [app[/kernel]…]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { conclude, inParallel, kernloopCommand, workspace } from './gpu/host.mjs';

const replays = 20;
const wanted = process.argv.slice(2);
const apps = ['cuda-batched-scale', 'cuda-pipeline', 'cupy-kernels', 'pytorch-ops'].filter(
  (app) => wanted.length === 0 || wanted.some((word) => word.split('/')[0] === app),
);
const folder = workspace(apps);

const kernelsOf = (app) =>
  JSON.parse(readFileSync(join(folder, 'apps', app, 'kernloop.json'), 'utf8'))
    .kernels.map(({ name }) => name)
    .filter((name) => wanted.length === 0 || wanted.includes(app) || wanted.includes(`${app}/${name}`));
const extracted = await inParallel(
  apps.length,
  apps.map((app) => kernloopCommand(['extract', ...kernelsOf(app), '--app', join('apps', app)], { cwd: folder })),
);
const failures = apps.flatMap((app, index) => {
  const { code, text } = extracted[index];
  return code === 0 ? [] : [{ app, step: 'extract', exit: code, output: text.slice(-1500) }];
});

/** Result of examine-kernel.mjs, which runs in a separate thread. */
function examined(app, name) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('gpu/examine-kernel.mjs', import.meta.url), {
      workerData: { folder, app, name, replays },
    });
    worker.once('message', resolve).once('error', reject);
  });
}
const kernels = apps.flatMap((app) => kernelsOf(app).map((name) => ({ app, name })));
const records = [];
async function takeKernels() {
  for (let kernel = kernels.shift(); kernel; kernel = kernels.shift()) {
    const found = await examined(kernel.app, kernel.name);
    records.push(found.record);
    failures.push(...found.failures);
    process.stderr.write(`${kernel.app}/${kernel.name}: examined\n`);
  }
}
await Promise.all([takeKernels(), takeKernels(), takeKernels(), takeKernels()]);
records.sort((a, b) => apps.indexOf(a.app) - apps.indexOf(b.app) || a.kernel.localeCompare(b.kernel));

const good = (record) =>
  ['verified', 'nondeterministic'].includes(record.selfcheck) &&
  record.replays === replays &&
  record.validate === 'pass' &&
  record.do_nothing === 'fail' &&
  (record.rebuilt === undefined || record.rebuilt === 'pass') &&
  (record.one_ulp === '-' || (record.one_ulp === 'fail' && record.one_ulp_tolerated === 'pass'));
conclude(
  'gpu-examples',
  { records, failures },
  [
    ['app', 'kernel', 'self-check', 'replays', 'validate', 'rebuilt', 'do-nothing', 'one ULP', 'with --ulp 1'],
    ...records.map((r) => [
      r.app,
      r.kernel,
      r.selfcheck,
      `${r.replays}/${replays}`,
      r.validate,
      r.rebuilt ?? '-',
      r.do_nothing,
      r.one_ulp,
      r.one_ulp_tolerated,
    ]),
  ],
  records.length > 0 && records.every(good),
);
