// `node e2e/install.cjs FOLDER`: the packages as a release makes them, but for the native build, which is there; and what npm makes of
// `npm install kernloop nx`, from a registry of this checkout. tools/test.mjs does it while other tests run.
const { execFileSync, spawn } = require('node:child_process');
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');

/** What is run by hand for it is shown only where it fails. */
function quietly(file, args, cwd, env) {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...env } });
  } catch (error) {
    throw new Error(`${file} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`, { cause: error });
  }
}

const packagesOf = (folder) => join(folder, 'packages');

/** A registry of the packages in `folder`: what npm is told so that it asks it, and how it is stopped. */
async function startRegistry(folder) {
  const registry = spawn('node', ['tools/packages/registry.mjs', packagesOf(folder)], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const address = await new Promise((resolve) => registry.stdout.once('data', (data) => resolve(String(data).trim())));
  const npm = {
    npm_config_registry: address,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
  };
  return { npm, stop: () => registry.kill() };
}

/** Fills `folder` with packages/ and node_modules/. */
async function install(folder) {
  mkdirSync(folder, { recursive: true });
  quietly('node', ['tools/package.mjs', '--no-build', '--only', 'npm', '--out', packagesOf(folder)], root);
  const registry = await startRegistry(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  quietly('npm', ['install', '--no-audit', '--no-fund', 'kernloop', 'nx'], folder, registry.npm);
  registry.stop();
}

module.exports = { install, startRegistry };
if (require.main === module) void install(process.argv[2]);
