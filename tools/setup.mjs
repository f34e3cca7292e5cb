// What both commands of the README need first: system packages, npm packages, the native build. Idempotent; Node built-ins only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runMain, root, step, StepError } from './console.mjs';

/** Debian 12 packages. The HIP stack is stock; nothing from outside Debian. */
const systemPackages = [
  'g++',
  'make',
  'ninja-build',
  'cmake',
  'pkg-config',
  'python3',
  'hipcc',
  'libamdhip64-dev',
  'libhsa-runtime-dev',
  'librocrand-dev',
  'librocprim-dev',
  'clang-15',
  'lld-15',
  'llvm-15',
  'clang-format',
  'strace',
  'libzstd-dev',
  'nlohmann-json3-dev',
  'libssl-dev',
  'libgtest-dev',
  'libxxhash-dev',
];

function missingPackages() {
  const query = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Abbrev}\n', ...systemPackages], {
    encoding: 'utf8',
  });
  if (query.error) {
    throw new StepError(
      'dpkg-query is not here: this set-up knows Debian 12 only',
      `install by hand: ${systemPackages.join(' ')}`,
      5,
    );
  }
  const installed = new Set(
    query.stdout
      .split('\n')
      .filter((line) => / ii/.test(line))
      .map((line) => line.split(' ')[0]),
  );
  return systemPackages.filter((name) => !installed.has(name));
}

/** The prefix with which apt-get may be run without asking anybody, or undefined. */
function aptPrefix() {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined;
}

async function installSystemPackages() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const prefix = aptPrefix();
  const line = `apt-get install -y ${missing.join(' ')}`;
  if (!prefix)
    throw new StepError(
      `${missing.length} system packages are missing, and this user may not install them`,
      `run: sudo ${line}`,
      5,
    );
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const [update, install] = [
    ['apt-get', 'update'],
    ['apt-get', 'install', '-y', '--no-install-recommends', ...missing],
  ].map((words) => [...prefix, ...words]);
  await step('system packages: update lists', update[0], update.slice(1), { env });
  await step(`system packages: install ${missing.length}`, install[0], install.slice(1), { env });
  const still = missingPackages();
  if (still.length > 0)
    throw new StepError(`still missing after the installation: ${still.join(' ')}`, `run: sudo ${line}`, 5);
}

async function installNpmPackages() {
  const stamp = join(root, 'node_modules', '.kernloop-lock');
  const digest = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  // Not `npm ci`: it refuses a lock file in which a registry's mirror left out packages for other platforms. Versions are the lock's
  // all the same. `npm run --silent` would silence this npm's errors too.
  await step('npm packages', 'npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=warn']);
  writeFileSync(stamp, digest);
}

export async function setup() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) throw new StepError(`Node ${process.versions.node} is too old`, 'install Node 20 or newer', 5);
  await installSystemPackages();
  await installNpmPackages();
  await step('native build', 'npm', ['run', '--silent', 'build:native']);
}

if (process.argv[1] === new URL(import.meta.url).pathname) await runMain(setup);
