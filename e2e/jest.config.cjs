const base = require('../jest.config.cjs');

/** The product as a user meets it: the packed package in a fresh workspace, with the real native core. */
/** @type {import('jest').Config} */
module.exports = {
  ...base,
  rootDir: '..',
  roots: ['<rootDir>/e2e'],
  testMatch: ['**/*.e2e.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/native/'],
  globalSetup: '<rootDir>/e2e/global-setup.cjs',
  testTimeout: 300_000,
};
