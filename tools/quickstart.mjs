// `npm run quickstart`: from a fresh clone to an extracted, replayed and validated kernel on the built-in software GPU.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { logDirectory, phases, phaseTable, root, runMain, step, StepError, table } from './console.mjs';
import { setup } from './setup.mjs';

const app = 'batched-scale';
const kernel = 'scale_batch';
const reproducer = `kernels/${app}/${kernel}`;

const mebibytes = (bytes) =>
  bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;

function readJson(path) {
  if (!existsSync(join(root, path))) throw new StepError(`${path} was not written`, 'see the log of the step before');
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** Runs one Nx target with the workspace's own Nx. */
function nx(name, target) {
  return step(name, process.execPath, [join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js'), 'run', target], {
    env: { NX_TUI: 'false', NX_NO_CLOUD: 'true' },
  });
}

await runMain(async () => {
  const started = Date.now();
  await setup({ tests: false });
  await nx(`extract ${kernel} from ${app}`, `${app}:extract-kernel`);
  await nx(`validate ${kernel}`, `${app}-${kernel}:validate`);

  const capture = readJson(`${reproducer}/capture/capture.json`);
  const selfcheck = readJson(`${reproducer}/capture/selfcheck.json`);
  const report = readJson(`${reproducer}/report.json`);
  const captured = capture.regions.reduce((sum, region) => sum + region.size, 0);
  const { grid_blocks: grid, block_threads: block } = capture.geometry;
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  // Read by bench/quickstart.mjs.
  writeFileSync(join(logDirectory, 'quickstart.json'), `${JSON.stringify({ seconds, phases: phases() }, null, 2)}\n`);
  console.log(`\nDone in ${seconds.toFixed(1)} s, on the software GPU.\n`);
  console.log(`${phaseTable(phases())}\n`);
  console.log(
    table([
      ['what', 'value'],
      ['kernel', capture.kernel.name],
      [
        'launch',
        `${grid.join('×')} blocks of ${block.join('×')} threads, dispatch ${capture.dispatch.ordinal} of its kernel`,
      ],
      [
        'captured',
        `${capture.regions.length} of ${capture.scope.tracked_regions} allocations, ${mebibytes(captured)}; a full snapshot is ${mebibytes(capture.scope.tracked_bytes)}`,
      ],
      ['self-check', selfcheck.verdict],
      ['verdict', `${report.verdict.toUpperCase()}: compared with what the program itself computed`],
      ['project', relative(root, join(root, reproducer))],
    ]),
  );
  console.log(`
What to type next:
  edit ${reproducer}/kernel_variant.hip, then
  npx nx run ${app}-${kernel}:validate       rebuilds only this kernel and says whether it is still right
  npx nx run hip-pipeline:extract-kernel        eight more kernels, in one run of their program
  npx kernloop --help`);
});
