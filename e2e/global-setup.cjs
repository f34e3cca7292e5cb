// Makes and installs the packages once (install.cjs), unless that was done: E2E_PREPARED then names the folder. Every workspace of the run
// gets hard links of it.
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { install, startRegistry } = require('./install.cjs');

module.exports = async () => {
  const prepared = process.env.E2E_PREPARED;
  const folder = prepared ?? mkdtempSync(join(tmpdir(), 'kernloop-e2e-installed-'));
  if (prepared === undefined) await install(folder);
  const registry = await startRegistry(folder);
  process.env.E2E_INSTALLED = join(folder, 'node_modules');
  process.env.E2E_NPM = JSON.stringify(registry.npm);
  globalThis.e2eTeardown = () => {
    registry.stop();
    if (prepared === undefined) rmSync(folder, { recursive: true, force: true });
  };
};
