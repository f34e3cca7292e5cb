// The Python wheel: python/src, the Python files for apps and reproducers, and the native products that it needs
// itself, so that `pip install` suffices to run Triton's kernels on the software GPU. Built by the pinned setuptools of
// python/.venv, without a network.
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureGenerated } from '../../bin/generated.js';
import { root, step, StepError } from '../console.mjs';
import { installPython, python } from '../python.mjs';
import { platform } from './manifests.mjs';
import { copyLicences, newestGlibc, stageProducts } from './native.mjs';

/**
 * The software GPU and the library that accompanies it (python/src/kernloop/softgpu/library.py); stages bring their
 * own.
 */
const products = ['softgpu', 'hipErrors'];

/** pip's platform names of machines that the programs start on: by the oldest C library that they were checked for. */
const machines = { 'linux-x64': 'x86_64' };
const tag = `manylinux_${newestGlibc.join('_')}_${machines[platform]}`;

/** Writes the wheel into `folder`: one checkout always gives the same bytes. `forTests` as in stageProducts(). */
export async function makeWheel(folder, { build = join(root, 'native', 'build'), forTests } = {}) {
  if (machines[platform] === undefined) throw new StepError(`no wheel is made on ${platform}`, 'build on linux-x64');
  await installPython();
  process.umask(0o022);
  const stage = mkdtempSync(join(tmpdir(), 'kernloop-wheel-'));
  const made = mkdtempSync(join(tmpdir(), 'kernloop-wheel-'));
  try {
    stageWheel(stage, build, { forTests });
    const offline = [
      '--no-build-isolation',
      '--no-index',
      '--no-deps',
      '--no-cache-dir',
      '--disable-pip-version-check',
    ];
    await step('wheel', python, ['-m', 'pip', 'wheel', '--quiet', ...offline, '--wheel-dir', made, stage], {
      // The earliest time that a zip file can hold.
      env: { SOURCE_DATE_EPOCH: '315532800', PYTHONHASHSEED: '0' },
    });
    const [name] = readdirSync(made);
    if (!name?.endsWith(`-py3-none-${tag}.whl`))
      throw new Error(`pip made ${name ?? 'nothing'}, not a wheel of ${tag}`);
    cpSync(join(made, name), join(folder, name));
    return join(folder, name);
  } finally {
    for (const scratch of [stage, made]) rmSync(scratch, { recursive: true, force: true });
  }
}

function stageWheel(stage, build, limits) {
  ensureGenerated();
  const source = join(root, 'python');
  const copy = (from, to) =>
    cpSync(from, to, { recursive: true, filter: (path) => !/__pycache__|\.egg-info/.test(path) });
  for (const name of ['pyproject.toml', 'setup.py', 'README.md', 'src']) copy(join(source, name), join(stage, name));
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  const inside = join(stage, 'src', 'kernloop');
  copy(join(source, 'shim'), join(inside, '_shim'));
  copy(join(source, 'reproducer'), join(inside, '_reproducer'));
  stageProducts(join(inside, '_native'), build, products, limits);
  copyLicences(join(inside, '_native'));
  writeFileSync(join(stage, 'setup.cfg'), `[bdist_wheel]\nplat_name = ${tag}\n`);
  withPlainModes(stage);
}

/** Sets modes independently of the checkout's umask. */
function withPlainModes(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (existsSync(path)) chmodSync(path, entry.isDirectory() || statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}
