// Installs the requirements of both commands in the README: system packages, npm packages, the native build.
// Idempotent; Node built-ins only.
import { spawnSync } from 'node:child_process';
import { runMain, step, StepError, together } from './console.mjs';
import { aptLocks, lockSeconds, waitForLocks } from './apt-locks.mjs';
import { ensureGenerated } from '../bin/generated.js';
import { buildCore, buildTested } from './native.mjs';
import { installNpmPackages } from './npm-packages.mjs';
import { installPython } from './python.mjs';

/**
 * Debian 12 packages; the HIP stack is stock, and nothing is from outside Debian. Each group is needed later than the
 * one before.
 */
const packagesFor = {
  'the native core': [
    'g++',
    'make',
    'ninja-build',
    'cmake',
    'pkg-config',
    'python3',
    'libzstd-dev',
    'nlohmann-json3-dev',
    'libssl-dev',
    'libxxhash-dev',
    'zlib1g-dev',
  ],
  'HIP programs': ['hipcc', 'libamdhip64-dev', 'clang-15', 'lld-15', 'llvm-15'],
  'the tests': [
    'librocrand-dev',
    'librocprim-dev',
    'ccache',
    'clang-format',
    'strace',
    'libgtest-dev',
    'python3-venv',
    // A server for pushed captures, and their encryption.
    'nginx-light',
    'age',
    // A cluster of two nodes for tasks.
    'slurmctld',
    'slurmd',
    'slurm-client',
    'munge',
    // Browser for tests of pages.
    'chromium',
    // Profiles of device code: the compiler, the headers that its plugin is built with, and the runtime for host code.
    'clang-22',
    'lld-22',
    'llvm-22',
    'llvm-22-dev',
    'libclang-rt-22-dev',
    'clang-tools-22',
  ],
};

function missingPackages(packages) {
  const query = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Abbrev}\n', ...packages], {
    encoding: 'utf8',
  });
  if (query.error) {
    throw new StepError(
      'dpkg-query is not here: this set-up knows Debian 12 only',
      `install by hand: ${packages.join(' ')}`,
      5,
    );
  }
  const installed = new Set(
    query.stdout
      .split('\n')
      .filter((line) => / ii/.test(line))
      .map((line) => line.split(' ')[0]),
  );
  return packages.filter((name) => !installed.has(name));
}

/** Prefix with which apt-get runs without a prompt, or undefined. */
function aptPrefix() {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined;
}

/**
 * Finds missing packages and whether they may be installed; the returned function installs the groups one after the
 * other.
 */
function systemPackages(groups) {
  const missing = missingPackages(groups.flatMap((group) => packagesFor[group]));
  if (missing.length === 0) return async () => undefined;
  const prefix = aptPrefix();
  const line = `apt-get install -y ${missing.join(' ')}`;
  if (!prefix)
    throw new StepError(
      `${missing.length} system packages are missing, and this user may not install them`,
      `run: sudo ${line}`,
      5,
    );
  // An interrupted dpkg leaves packages half installed.
  const options = { env: { DEBIAN_FRONTEND: 'noninteractive' }, runsToItsEnd: true };
  const apt = async (name, words) => {
    const [file, ...args] = [...prefix, 'apt-get', '-o', `DPkg::Lock::Timeout=${lockSeconds}`, ...words];
    await waitForLocks(name, aptLocks);
    return await step(name, file, args, options);
  };
  let listsAreNew = false;
  return async (chosen) => {
    for (const group of chosen) {
      const wanted = packagesFor[group].filter((name) => missing.includes(name));
      if (wanted.length === 0) continue;
      if (!listsAreNew) await apt('system packages: update lists', ['update']);
      listsAreNew = true;
      await apt(`system packages for ${group}`, ['install', '-y', '--no-install-recommends', ...wanted]);
      const still = missingPackages(wanted);
      if (still.length > 0)
        throw new StepError(`still missing after the installation: ${still.join(' ')}`, `run: sudo ${line}`, 5);
    }
  };
}

/**
 * Installs everything with `tests`, else the requirements of the products. The native core compiles while npm and apt
 * fetch the rest: only its own headers and libraries come first, and for the tests, whose kernels are compiled too, the
 * HIP compiler. `nightly`: the software GPU is built for all kinds of processors. `withPackages` runs as soon as the npm
 * packages are installed.
 */
export async function setup({ tests, nightly = false, withPackages = async () => undefined }) {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) throw new StepError(`Node ${process.versions.node} is too old`, 'install Node 20 or newer', 5);
  const groups = Object.keys(packagesFor);
  const before = tests ? groups : groups.slice(0, 1);
  const beside = tests ? [] : groups.slice(1, 2);
  const install = systemPackages([...before, ...beside]);
  const native = async () => {
    await install(before);
    await together(
      () => install(beside),
      ...(tests ? [() => buildTested({ all: nightly }), installPython] : [buildCore]),
    );
  };
  const packages = async () => {
    await installNpmPackages({ tests });
    ensureGenerated();
    await withPackages();
  };
  await together(packages, native);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await runMain(() => setup({ tests: true }));
