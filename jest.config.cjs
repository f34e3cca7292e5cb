const { specsTogether } = require('./jest.together.cjs');
const base = require('./jest.base.cjs');

const rooms = ['bench', 'cli', 'lib', 'executors', 'generators', 'lint', 'plugins', 'schemas', 'tools'];

const specs = {
  ...base,
  rootDir: __dirname,
  roots: rooms.map((room) => `<rootDir>/${room}`),
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/native/', '<rootDir>/e2e/'],
  setupFiles: ['<rootDir>/jest.setup.cjs'],
};

/** Specs that start compilers, browsers or whole tools: minutes, with those in lint/. In all others jest.setup.cjs refuses them. */
const tools = [
  'cli/json',
  'cli/mcp/judge-tools',
  'executors/unchanged',
  'generators/reproducer/generator',
  'lib/generate/built-units',
  'lib/generate/generate',
  'lib/generate/one-kernel',
  'lib/generate/one-kernel-clang',
  'lib/generate/unit-id',
  'lib/judge/client',
  'lib/judge/judge',
  'lib/judge/run',
  'lib/judge/service/http',
  'lib/judge/service/stdio',
  'lib/pgo-use/app-chain',
  'lib/pgo-use/reproducer-chain',
  'lib/probe/cuda',
  'lib/probe/ptx/rewrite',
  'lib/ptx/delays',
  'lib/recompile/recompile',
  'lib/recompile/rewritten-code',
  'lib/report/browser',
  'lib/sandbox/compile',
  'lib/sandbox/escapes',
  'lib/source/dependencies',
  'lib/source/ninja-deps',
  'lib/support/stdin',
  'lib/toolchain/compared-code',
  'lib/toolchain/cubin-ptx',
  'lib/toolchain/debug-line',
  'lib/toolchain/driver-steps',
  'lib/toolchain/hsaco-variables',
  'lib/toolchain/inlined-calls',
  'lib/toolchain/kernel-resources',
  'lib/toolchain/line-table',
  'lib/toolchain/make-dependencies',
  'lib/toolchain/preamble',
  'lib/tune/tune',
  'lib/validate/delays',
  'plugins/kernel/hashes',
  'schemas/native-events',
  'schemas/toy-stage',
  'tools/native',
];

const ofTools = [...tools, 'lint/*'].map((spec) => `${__dirname}/${spec}.spec.ts`);

const isUnit = (name) => !name.startsWith('lint/') && !tools.includes(name.replace(/\.spec\.ts$/, ''));

/** Specs of the project `unit`, or with SPECS=together a few files that load them. */
const unit =
  process.env.SPECS === 'together'
    ? specsTogether(__dirname, rooms, isUnit)
    : { testMatch: ['**/*.spec.ts', ...ofTools.map((spec) => `!${spec}`)] };

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    { ...specs, displayName: 'unit', ...unit },
    { ...specs, displayName: 'tools', testMatch: ofTools, globals: { mayStartTools: true } },
  ],
  maxWorkers: 2,
  // A busy machine is no failure: the first test of a file also loads what it tests.
  testTimeout: 60_000,
};
