const base = require('../jest.base.cjs');

/**
 * `*.e2e.ts`: the product as users have it, with the packages installed by npm in a new workspace. `*.integration.ts`:
 * its stages, in the process of the test.
 */
/** @type {import('jest').Config} */
module.exports = {
  ...base,
  rootDir: '..',
  roots: ['<rootDir>/e2e'],
  testMatch: ['**/*.e2e.ts', '**/*.integration.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/native/'],
  globalSetup: '<rootDir>/e2e/global-setup.cjs',
  testSequencer: '<rootDir>/e2e/sequencer.cjs',
  globalTeardown: '<rootDir>/e2e/global-teardown.cjs',
  maxWorkers: 2,
  testTimeout: 300_000,
};
