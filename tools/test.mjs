// `npm test`: setup, then every check, and every test but those of tools/nightly.mjs. `npm run test:nightly`: these, too. The
// last line counts the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { logDirectory, phases, phaseTable, root, runMain, step, table, together } from './console.mjs';
import { ctestCounts, ctestFailures } from './ctest.mjs';
import * as nightly from './nightly.mjs';
import { python, pythonEnvironment } from './python.mjs';
import { setup } from './setup.mjs';

const results = join(logDirectory, 'results');
const all = process.argv.includes('--nightly');

function jestCounts(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites + report.numPendingTests,
  };
}

/** Jest's own limit of a test ends none that never yields, such as an endless loop: `timeout` ends the step with all its workers. */
async function jest(name, config, limitMinutes, extra = [], env = {}) {
  const file = join(results, `${name}.json`);
  const words = ['jest', '--config', config, '--ci', '--json', `--outputFile=${file}`, ...extra];
  const { milliseconds } = await step(
    `tests: ${name}`,
    'timeout',
    ['--signal=KILL', `${limitMinutes}m`, 'npx', ...words],
    {
      inherit: true,
      allowFailure: true,
      env: { NX_DAEMON: 'false', FORCE_COLOR: '0', ...env },
    },
  );
  if (milliseconds >= limitMinutes * 60_000) {
    console.error(`tests: ${name}: stopped after ${limitMinutes} minutes: the files without a line above did not end`);
  }
  return jestCounts(file);
}

/** Counts from pytest's report in JUnit format. */
function pytestCounts(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const [head] = /<testsuite [^>]*>/.exec(readFileSync(file, 'utf8')) ?? [''];
  const count = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 1);
  const failed = count('errors') + count('failures') + count('skipped');
  return { passed: count('tests') - failed, failed };
}

/** A process supports only one target of the software GPU. */
async function pytest(target, ...tests) {
  const file = join(results, `python-${target}.xml`);
  const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${file}`, ...tests];
  const { code, tail } = await step(`tests: Python on ${target}`, python, words, {
    allowFailure: true,
    env: { ...pythonEnvironment, KERNLOOP_SOFTGPU: target },
  });
  if (code !== 0) process.stdout.write(tail.map((line) => `    ${line}\n`).join(''));
  const counts = pytestCounts(file);
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function pythonTests() {
  // gfx942 and gfx1100 run only the kernels: the driver is the same. Timelines depend on no target.
  const suites = [
    ['gfx90a', 'python/tests'],
    ['gfx1030', 'python/tests', '--ignore=python/tests/test_timeline.py'],
    ['gfx942', 'python/tests/test_tutorials.py'],
    ['gfx1100', 'python/tests/test_tutorials.py'],
  ];
  const counts = [];
  const wanted = suites.filter(([target]) => all || !nightly.pythonTargets.includes(target));
  for (const suite of wanted) counts.push(await pytest(...suite));
  const sum = (name) => counts.reduce((total, one) => total + one[name], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

/** Runs scripts of package.json two at a time, because each uses one core. Returns those that failed. */
async function checks(...scripts) {
  const failed = [];
  const takeTurns = async () => {
    for (let script = scripts.shift(); script !== undefined; script = scripts.shift()) {
      const { code, tail } = await step(`check: ${script}`, 'npm', ['run', '--silent', script], { allowFailure: true });
      if (code !== 0) {
        failed.push(script);
        process.stdout.write(tail.map((line) => `    ${line}\n`).join(''));
      }
    }
  };
  await together(takeTurns, takeTurns);
  return failed;
}

/** Checks that need only npm's packages run beside the native build, which leaves a core idle at its start and end. */
async function setupAndChecks() {
  let failed = [];
  await setup({
    tests: true,
    nightly: all,
    withPackages: async () => {
      failed = await checks(
        ...['lint:ts', 'typecheck', 'lint:rooms', 'lint:unused', 'lint:format', 'lint:links', 'lint:prose'],
      );
    },
  });
  return [...failed, ...(await checks('lint:native'))];
}

/** Patterns of tools/nightly.mjs that match no test: what they named runs at every push, or was renamed. */
function stale(patterns) {
  const list = (pattern) =>
    spawnSync('ctest', ['--test-dir', 'native/build', '-N', '-R', pattern], { cwd: root, encoding: 'utf8' }).stdout;
  return patterns.filter((pattern) => !/Total Tests: [1-9]/.test(list(pattern)));
}

/** Lines that tell why native tests failed, for the end of the output: what a reader of a long log sees of it. */
let nativeFailures = [];

async function nativeTests() {
  const unknown = stale(nightly.native);
  if (unknown.length > 0) {
    console.error(`tests: native: tools/nightly.mjs names no test of ctest by ${unknown.join(' and ')}`);
    return { passed: 0, failed: unknown.length };
  }
  const words = ['--test-dir', 'native/build', '--output-on-failure', '-j', '2', '--timeout', '600'];
  if (!all) words.push('--exclude-regex', nightly.native.join('|'));
  const { code, tail, logPath } = await step('tests: native', 'ctest', words, { allowFailure: true });
  if (code !== 0) nativeFailures = ctestFailures(readFileSync(logPath, 'utf8'), 30);
  return ctestCounts(tail);
}

/** Packages that the end-to-end tests install. If this fails, the tests install them and report the error. */
async function installedPackages(folder) {
  const { code } = await step('packages for the tests', 'node', ['e2e/install.cjs', folder], { allowFailure: true });
  return code === 0 ? { E2E_PREPARED: folder } : {};
}

/** Options of Jest that leave out files with these beginnings. */
const leftToTheNight = (names) =>
  all ? [] : ['--testPathIgnorePatterns', ...names.map((name) => `/${name}\\.(e2e|integration|spec)\\.ts$`)];

/**
 * Nx, npm and captures often wait: three workers keep two cores busy for four fifths of the time. Each may run
 * compilers and a Triton of 2 GiB.
 */
const endToEndWorkers = () => (Math.min(totalmem(), process.constrainedMemory() || Infinity) >= 8 * 2 ** 30 ? 4 : 3);

await runMain(async () => {
  const started = Date.now();
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const failedChecks = await setupAndChecks();
  const none = { passed: 0, failed: 0 };
  const counts = { TypeScript: none, native: none, Python: none, 'end to end': none };
  // Compilers that the specs start also wait: three workers keep two cores busy.
  counts.TypeScript = await jest(
    'typescript',
    'jest.config.cjs',
    20,
    ['--maxWorkers=3', ...leftToTheNight(nightly.specs)],
    {
      SPECS: 'together',
    },
  );
  const packages = mkdtempSync(join(tmpdir(), 'kernloop-packages-'));
  try {
    let prepared = {};
    // Native tests often wait, so all of these run at once.
    await together(
      async () => (counts.native = await nativeTests()),
      async () => {
        prepared = await installedPackages(packages);
        counts.Python = await pythonTests();
      },
    );
    counts['end to end'] = await jest(
      'e2e',
      'e2e/jest.config.cjs',
      60,
      [`--maxWorkers=${endToEndWorkers()}`, ...leftToTheNight(nightly.endToEnd.map((name) => `e2e/${name}`))],
      prepared,
    );
  } finally {
    rmSync(packages, { recursive: true, force: true });
  }

  const total = Object.values(counts).reduce(
    (sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }),
    {
      passed: 0,
      failed: 0,
    },
  );
  if (nativeFailures.length > 0) console.log(['\n  native tests that failed:', ...nativeFailures].join('\n    '));
  console.log(
    `\n${table([['suite', 'passed', 'failed'], ...Object.entries(counts).map(([name, { passed, failed }]) => [name, passed, failed])])}`,
  );
  console.log(`\n${phaseTable(phases())}`);
  console.log(
    `  in ${Math.round((Date.now() - started) / 1000)} s${failedChecks.length ? `; failed checks: ${failedChecks.join(', ')}` : ''}\n`,
  );
  console.log(`Tests: ${total.passed} passed, ${total.failed} failed`);
  const nothingRan = Object.values(counts).some(({ passed }) => passed === 0);
  return total.failed > 0 || failedChecks.length > 0 || nothingRan ? 1 : 0;
});
