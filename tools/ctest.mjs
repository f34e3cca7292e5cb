// Reads what ctest prints, for the summary of `npm test`.

/** Counts of tests from ctest's last line. A test that did not run counts as failed. */
export function ctestCounts(lines) {
  const line = lines.findLast((text) => /tests passed, \d+ tests failed out of \d+/.test(text));
  const [, failed, total] = /(\d+) tests failed out of (\d+)/.exec(line ?? '') ?? [0, 1, 1];
  return { passed: Number(total) - Number(failed), failed: Number(failed) };
}

const ended = /^\s*\d+\/\d+ Test\s+#\d+: /;
const otherTest = /^\s+Start\s+\d+: |tests passed, \d+ tests failed out of/;

/**
 * The line of each test that failed, with at most `most` of the last lines that it printed: ctest prints these below it
 * with --output-on-failure. Other tests start and end between the two of a test, never between its line and its output.
 */
export function ctestFailures(text, most) {
  const failures = [];
  let open;
  for (const line of text.split('\n')) {
    if (ended.test(line) || otherTest.test(line)) {
      open = ended.test(line) && line.includes('***') ? { line: line.trim(), output: [] } : undefined;
      if (open) failures.push(open);
    } else if (open && line.trim() !== '') open.output.push(line);
  }
  return failures.flatMap(({ line, output }) => [line, ...output.slice(-most).map((text) => `  ${text}`)]);
}
