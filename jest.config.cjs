const base = require('./jest.base.cjs');

const specs = {
  ...base,
  rootDir: __dirname,
  roots: ['bench', 'cli', 'lib', 'executors', 'generators', 'lint', 'plugins', 'schemas', 'tools'].map(
    (room) => `<rootDir>/${room}`,
  ),
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/native/', '<rootDir>/e2e/'],
  setupFiles: ['<rootDir>/jest.setup.cjs'],
};

/** Specs that start compilers, browsers or whole tools: minutes. In all others jest.setup.cjs refuses them. */
const tools = [
  'cli/json',
  'cli/mcp/judge-tools',
  'executors/unchanged',
  'generators/reproducer/generator',
  'lib/generate/{built-units,generate,one-kernel,one-kernel-clang,unit-id}',
  'lib/pgo-use/{app,reproducer}-chain',
  'lib/judge/{client,judge,run,service/http,service/stdio}',
  'lib/probe/cuda',
  'lib/probe/ptx/rewrite',
  'lib/recompile/{recompile,rewritten-code}',
  'lib/sandbox/{compile,escapes}',
  'lib/report/browser',
  'lib/source/{dependencies,ninja-deps}',
  'lib/support/stdin',
  'lib/ptx/delays',
  'lib/validate/delays',
  'lib/toolchain/{code-object-kernels,cubin-ptx,debug-line,driver-steps,hsaco-code,hsaco-variables,inlined-calls,kernel-resources,line-table,make-dependencies,preamble}',
  'lib/tune/tune',
  'lint/*',
  'plugins/kernel/hashes',
  'schemas/{native-events,toy-stage}',
  'tools/native',
].map((spec) => `${__dirname}/${spec}.spec.ts`);

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    { ...specs, displayName: 'unit', testMatch: ['**/*.spec.ts', ...tools.map((spec) => `!${spec}`)] },
    { ...specs, displayName: 'tools', testMatch: tools, globals: { mayStartTools: true } },
  ],
  maxWorkers: 2,
  // A busy machine is no failure: the first test of a file also loads what it tests.
  testTimeout: 60_000,
};
