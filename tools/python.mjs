// A Python for tests: python/.venv with the pins of python/tests/requirements.txt, without the machine's packages.
// Idempotent.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runMain, step } from './console.mjs';

const folder = join(root, 'python', '.venv');
export const python = join(folder, 'bin', 'python3');

/** Environment of Python in tests: Triton's compilations are kept beside the packages that made them. */
export const pythonEnvironment = {
  PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
  PYTHONDONTWRITEBYTECODE: '1',
  TRITON_CACHE_DIR: join(folder, 'triton-cache'),
};

/** apt's Python: the pins are wheels for it. */
const system = '/usr/bin/python3';
const requirements = join(root, 'python', 'tests', 'requirements.txt');
const stamp = join(folder, '.kernloop-requirements');

export async function installPython() {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  await step('Python: virtual environment', system, ['-m', 'venv', '--clear', folder]);
  await step('Python: packages', python, [
    ...['-m', 'pip', 'install', '--disable-pip-version-check', '--no-deps'],
    ...['--only-binary', ':all:', '--require-hashes', '--requirement', requirements],
  ]);
  // Links the sources instead of a wheel, so that edits take effect.
  const [version] = readdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'lib', version, 'site-packages', 'kernloop.pth'), `${join(root, 'python', 'src')}\n`);
  writeFileSync(stamp, digest);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await runMain(installPython);
