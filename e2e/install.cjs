// `node e2e/install.cjs FOLDER`: makes the packages like a release, but with the existing native build; publishes them
// like a release, to a registry of this checkout; and runs `npm install kernloop nx` from it. tools/test.mjs does this
// while other tests run.
const { execFileSync, spawn } = require('node:child_process');
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const { version } = require('../package.json');

/** Runs a command and shows its output only if it fails. */
function quietly(file, args, cwd, env) {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...env } });
  } catch (error) {
    throw new Error(`${file} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`, { cause: error });
  }
}

/** Packages as made, and as published to the registry. */
const packagesOf = (folder) => join(folder, 'packages');
const publishedOf = (folder) => join(folder, 'published');

/**
 * Starts a registry of the packages published in `folder`; returns npm settings that select it, and a function that
 * stops it.
 */
async function startRegistry(folder) {
  const registry = spawn('node', ['tools/packages/registry.mjs', publishedOf(folder)], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const address = await new Promise((resolve) => registry.stdout.once('data', (data) => resolve(String(data).trim())));
  const npm = {
    npm_config_registry: address,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
    [`npm_config_${address.replace(/^http:/, '')}/:_authToken`]: 'anybody',
  };
  return { npm, stop: () => registry.kill() };
}

/** Fills `folder` with packages/, published/ and node_modules/. */
async function install(folder) {
  mkdirSync(publishedOf(folder), { recursive: true });
  quietly('node', ['tools/package.mjs', '--for-tests', '--only', 'npm', '--out', packagesOf(folder)], root);
  const registry = await startRegistry(folder);
  const publish = `(await import('./tools/packages/publish.mjs')).publish(${JSON.stringify(packagesOf(folder))}, '${version}')`;
  quietly('node', ['--input-type=module', '--eval', `await ${publish}`], root, registry.npm);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  quietly('npm', ['install', '--no-audit', '--no-fund', 'kernloop', 'nx'], folder, registry.npm);
  registry.stop();
}

module.exports = { install, startRegistry };
if (require.main === module) void install(process.argv[2]);
