// A workspace with the reproducers of examples/hip-pipeline, for the benches of the judge.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { kernloop, must, root } from './gpu/host.mjs';

const app = 'hip-pipeline';

/** Path of the reproducer of a kernel. KERNLOOP_BENCH_WORKSPACE names a folder that keeps it for the next run. */
export function pipelineReproducer(kernel) {
  process.env.HIP_PLATFORM = 'amd';
  const kept = process.env.KERNLOOP_BENCH_WORKSPACE;
  const folder = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'kernloop-judge-'));
  if (!kept) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'apps'), { recursive: true });
  writeFileSync(join(folder, 'nx.json'), '{}\n');
  const reproducer = join(folder, 'kernels', app, kernel);
  if (!existsSync(reproducer)) {
    cpSync(join(root, 'examples', app), join(folder, 'apps', app), { recursive: true });
    must(kernloop(['extract', '--app', `apps/${app}`], { cwd: folder, limitSeconds: 1800 }), 'extract');
  }
  return reproducer;
}
