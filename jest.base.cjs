// Tests read files that the stages decide and git ignores.
require('./bin/generated').ensureGenerated();

// execa (lib/support/exec.ts) and others are ESM only; Jest cannot require() ESM on Node 20, so its packages are transformed.
const esmPackages = [
  'execa',
  '@sindresorhus/merge-streams',
  'figures',
  'get-stream',
  'human-signals',
  'is-plain-obj',
  'is-stream',
  'npm-run-path',
  'path-key',
  'pretty-ms',
  'parse-ms',
  'signal-exit',
  'strip-final-newline',
  'yoctocolors',
  'unicorn-magic',
  'is-unicode-supported',
  '@sec-ant/readable-stream',
  // Dependencies of lib/trace-export.
  'hyparquet',
  'hyparquet-writer',
];

/** Settings of all tests in TypeScript. */
/** @type {import('jest').Config} */
module.exports = {
  transform: {
    '^.+\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/)?(?:${esmPackages.join('|')})/)`],
  moduleNameMapper: {
    // unicorn-magic exports only an `import` condition.
    '^unicorn-magic$': '<rootDir>/node_modules/unicorn-magic/node.js',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  // Longer than any takes, on cores that others load.
  testTimeout: 60_000,
};
