// A Python of the tests' own: python/.venv with what python/tests/requirements.txt pins, never the machine's packages. Idempotent.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runMain, step } from './console.mjs';

const folder = join(root, 'python', '.venv');
export const python = join(folder, 'bin', 'python3');

/** What tests run Python with: what Triton has compiled is kept beside the packages that compiled it. */
export const pythonEnvironment = {
  PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
  PYTHONDONTWRITEBYTECODE: '1',
  TRITON_CACHE_DIR: join(folder, 'triton-cache'),
};

/** The one that apt installs: the pins are wheels for it. */
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
  // As a wheel of this checkout would be there, but for its edits.
  const [version] = readdirSync(join(folder, 'lib'));
  writeFileSync(join(folder, 'lib', version, 'site-packages', 'kernloop.pth'), `${join(root, 'python', 'src')}\n`);
  writeFileSync(stamp, digest);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await runMain(installPython);
