// `npm test`: set-up, then every check and every test. The last line counts the tests.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { logDirectory, phases, phaseTable, runMain, step, table, together } from './console.mjs';
import { python, pythonEnvironment } from './python.mjs';
import { setup } from './setup.mjs';

const results = join(logDirectory, 'results');

function jestCounts(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites + report.numPendingTests,
  };
}

/** Reads ctest's own closing line; a test that did not run counts as failed. */
function ctestCounts(tail) {
  const line = tail.findLast((text) => /tests passed, \d+ tests failed out of \d+/.test(text));
  const [, failed, total] = /(\d+) tests failed out of (\d+)/.exec(line ?? '') ?? [0, 1, 1];
  return { passed: Number(total) - Number(failed), failed: Number(failed) };
}

async function jest(name, config, extra = []) {
  const file = join(results, `${name}.json`);
  await step(
    `tests: ${name}`,
    'npx',
    ['jest', '--config', config, '--ci', '--json', `--outputFile=${file}`, ...extra],
    {
      inherit: true,
      allowFailure: true,
      env: { NX_DAEMON: 'false', FORCE_COLOR: '0' },
    },
  );
  return jestCounts(file);
}

/** Of pytest's report in the format of JUnit. */
function pytestCounts(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const [head] = /<testsuite [^>]*>/.exec(readFileSync(file, 'utf8')) ?? [''];
  const count = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 1);
  const failed = count('errors') + count('failures') + count('skipped');
  return { passed: count('tests') - failed, failed };
}

/** Everything on each target of the software GPU: a process has one of them. */
async function pytest(target) {
  const file = join(results, `python-${target}.xml`);
  const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${file}`, 'python/tests'];
  const { code, tail } = await step(`tests: Python on ${target}`, python, words, {
    allowFailure: true,
    env: { ...pythonEnvironment, KERNLOOP_SOFTGPU: target },
  });
  if (code !== 0) process.stdout.write(tail.map((line) => `    ${line}\n`).join(''));
  const counts = pytestCounts(file);
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function pythonTests() {
  const each = {};
  await together(...['gfx90a', 'gfx1030'].map((target) => async () => (each[target] = await pytest(target))));
  return { passed: each.gfx90a.passed + each.gfx1030.passed, failed: each.gfx90a.failed + each.gfx1030.failed };
}

/** Each of them keeps one core busy, so two run at a time. */
async function checks() {
  const waiting = ['lint:ts', 'typecheck', 'lint:rooms', 'lint:unused', 'lint:format', 'lint:native'];
  const failed = [];
  const takeTurns = async () => {
    for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
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

await runMain(async () => {
  const started = Date.now();
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  await setup({ tests: true });
  const failedChecks = await checks();
  const counts = {};
  counts.TypeScript = await jest('typescript', 'jest.config.cjs');
  const ctest = await step(
    'tests: native',
    'ctest',
    ['--test-dir', 'native/build', '--output-on-failure', '-j', '2', '--timeout', '600'],
    {
      allowFailure: true,
    },
  );
  counts.native = ctestCounts(ctest.tail);
  if (ctest.code !== 0) process.stdout.write(ctest.tail.map((line) => `    ${line}\n`).join(''));
  counts.Python = await pythonTests();
  counts['end to end'] = await jest('e2e', 'e2e/jest.config.cjs', ['--maxWorkers=2']);

  const total = Object.values(counts).reduce(
    (sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }),
    {
      passed: 0,
      failed: 0,
    },
  );
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
