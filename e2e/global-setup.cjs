// Makes and installs the packages once (install.cjs), unless E2E_PREPARED names a folder that has them. Every workspace
// of the run gets hard links. Fixtures that tests share (fixtures.ts) are in a folder of the run, or in the one that
// E2E_FIXTURES names, which is kept.
const { mkdirSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { install, startRegistry } = require('./install.cjs');

module.exports = async () => {
  const prepared = process.env.E2E_PREPARED;
  const folder = prepared ?? mkdtempSync(join(tmpdir(), 'kernloop-e2e-installed-'));
  if (prepared === undefined) await install(folder);
  const registry = await startRegistry(folder);
  process.env.E2E_INSTALLED = join(folder, 'node_modules');
  process.env.E2E_NPM = JSON.stringify(registry.npm);
  const kept = process.env.E2E_FIXTURES;
  const fixtures = kept === undefined ? mkdtempSync(join(tmpdir(), 'kernloop-e2e-fixtures-')) : resolve(kept);
  mkdirSync(fixtures, { recursive: true });
  process.env.E2E_FIXTURES = fixtures;
  globalThis.e2eTeardown = () => {
    registry.stop();
    if (kept === undefined) rmSync(fixtures, { recursive: true, force: true });
    if (prepared === undefined) rmSync(folder, { recursive: true, force: true });
  };
};
