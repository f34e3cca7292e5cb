// npm's packages, from the lock file. Node built-ins only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, step, StepError } from './console.mjs';

const folder = 'node_modules/';
const nameIn = (place) => place.slice(place.lastIndexOf(folder) + folder.length);

/**
 * The lock with the address of each package's file. The lock in git has none, because registries differ. Without them npm
 * asks for all versions of each of 1,000 packages, most of a cold installation's time. Registries have a file at the
 * address that name and version make; its content is the one of the lock's digest. Optional packages of other platforms,
 * which the lock does not have, go: npm would ask for them, and not install them.
 */
export function withAddresses(lock, registry) {
  const base = registry.endsWith('/') ? registry : `${registry}/`;
  const places = Object.entries(lock.packages);
  const known = new Set(places.map(([place]) => nameIn(place)));
  const addressed = ([place, entry]) => {
    const optional = Object.entries(entry.optionalDependencies ?? {}).filter(([name]) => known.has(name));
    const whole = entry.optionalDependencies ? { ...entry, optionalDependencies: Object.fromEntries(optional) } : entry;
    if (!place.includes(folder) || entry.resolved || !entry.integrity) return [place, whole];
    const name = entry.name ?? nameIn(place);
    return [place, { ...whole, resolved: `${base}${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz` }];
  };
  return { ...lock, packages: Object.fromEntries(places.map(addressed)) };
}

/** Development packages by which a checkout runs; all others are for its tests, checks and pages. */
const toRun = [
  '@nx/devkit',
  '@swc-node/register',
  '@swc/core',
  'nx',
  'tree-sitter-cuda',
  'tree-sitter-python',
  'typescript',
];

/** package.json or the root of its lock, without the other development packages. */
export const withoutOthers = ({ devDependencies, ...rest }) => ({
  ...rest,
  devDependencies: Object.fromEntries(toRun.map((name) => [name, devDependencies[name]])),
});

/**
 * Not `npm ci`: it refuses a lock file from which a registry's mirror omitted packages for other platforms. The versions
 * still come from the lock. `npm run --silent` would silence this npm's errors, too.
 */
const install = (options) =>
  step('npm packages', 'npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=warn'], {
    progress: (line) => (line.startsWith('npm warn') ? '' : line),
    ...options,
  });

/** Installs in a folder by its lock, with the addresses that names and versions make. */
async function installIn(folder, lock) {
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' });
  if (registry.status !== 0) throw new StepError('npm config get registry failed', registry.stderr);
  // npm prefers it to package-lock.json, and leaves both as they are with --no-save.
  const addressed = join(folder, 'npm-shrinkwrap.json');
  let code, tail;
  try {
    writeFileSync(addressed, JSON.stringify(withAddresses(lock, registry.stdout.trim())));
    ({ code, tail } = await install({ cwd: folder, allowFailure: true }));
  } finally {
    rmSync(addressed, { force: true });
  }
  // npm ends with 1 then, too.
  if (code === 130 || tail.some((line) => /error signal SIG(INT|TERM)/.test(line)))
    throw new StepError('npm packages: stopped', 'run the command again', 130);
  if (code !== 0) {
    console.log('  npm packages: not by the addresses that names and versions make; the registry is asked for them');
    await install({ cwd: folder });
  }
}

/** Half of the packages take half of the time. npm would install the others, too, where package.json has them. */
async function installToRun(lock) {
  const folder = join(root, '.kernloop', 'npm');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const fewer = { ...lock, packages: { ...lock.packages, '': withoutOthers(lock.packages['']) } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(withoutOthers(manifest)));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(fewer));
  await installIn(folder, fewer);
  renameSync(join(folder, 'node_modules'), join(root, 'node_modules'));
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Installs what the lock has, once: the digest of the lock is kept beside the packages. Without `tests`, and where
 * nothing is installed yet, only what a checkout needs to run.
 */
export async function installNpmPackages({ tests }) {
  const stamp = join(root, 'node_modules', '.kernloop-lock');
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const digest = createHash('sha256').update(text).digest('hex');
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
  const toRunAlone = `${digest}: to run`;
  if (installed === digest || (installed === toRunAlone && !tests)) return;
  const isFirst = !existsSync(join(root, 'node_modules'));
  if (isFirst && !tests) await installToRun(JSON.parse(text));
  else await installIn(root, JSON.parse(text));
  writeFileSync(stamp, isFirst && !tests ? toRunAlone : digest);
}
