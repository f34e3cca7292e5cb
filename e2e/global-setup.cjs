// Makes the packages once, as a release does but for the native build, which is there; and installs them with npm once, as
// `npm install kernloop nx` does, from a registry of this checkout. Every workspace of the run gets hard links of that.
const { execFileSync, spawn } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
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

module.exports = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-e2e-installed-'));
  const packages = join(folder, 'packages');
  quietly('node', ['tools/package.mjs', '--no-build', '--only', 'npm', '--out', packages], root);
  const registry = spawn('node', ['tools/packages/registry.mjs', packages], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const address = await new Promise((resolve) => registry.stdout.once('data', (data) => resolve(String(data).trim())));
  const npm = {
    npm_config_registry: address,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
  };
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  quietly('npm', ['install', '--no-audit', '--no-fund', 'kernloop', 'nx'], folder, npm);
  process.env.E2E_INSTALLED = join(folder, 'node_modules');
  process.env.E2E_NPM = JSON.stringify(npm);
  globalThis.e2eTeardown = () => {
    registry.kill();
    rmSync(folder, { recursive: true, force: true });
  };
};
