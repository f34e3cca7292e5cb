// `npm test`: set-up, then every check and every test. The last line counts the tests.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { logDirectory, phases, phaseTable, runMain, step, table, together } from './console.mjs';
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
