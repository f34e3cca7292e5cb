// How the kinds of test programs list, run and report their cases.

/** Names of `--gtest_list_tests`. Disabled ones are `disabled`: the suite itself does not run them. */
export function gtestCases(text) {
  const cases = [];
  const disabled = [];
  let suite;
  for (const line of text.split('\n')) {
    // Programs print of themselves before the list: a suite is one word that ends with a dot.
    const [, head] = /^([\w/]+\.)(?:\s+#.*)?$/.exec(line) ?? [];
    const [, test] = /^ {2}(\S+)(?:\s+#.*)?$/.exec(line) ?? [];
    if (head !== undefined) suite = head;
    else if (test === undefined) suite = /^\S/.test(line) ? undefined : suite;
    else if (suite !== undefined)
      (/(?:^|\/)DISABLED_/.test(suite) || /^DISABLED_/.test(test) ? disabled : cases).push(suite + test);
  }
  return { cases, disabled };
}

/** A filter of exactly these names. `*`, `?`, `-` and `:` have meanings of their own there; `?` is any one character. */
export const gtestFilter = (names) =>
  `--gtest_filter=${names.map((name) => name.replaceAll(/[*?:-]/g, '?')).join(':')}`;

const gtestWords = {
  begins: (line) => /\[ RUN {6}\] (\S+)/.exec(line)?.[1],
  ends(line, current) {
    const [, word, name] = /\[ {2,7}(OK|FAILED|SKIPPED) {1,2}\] ([^\s,]+)/.exec(line) ?? [];
    if (name === undefined || name !== current) return undefined;
    return { says: { OK: 'right', FAILED: 'wrong', SKIPPED: 'skipped' }[word] };
  },
  explains: (line) => /: (?:Failure|Skipped)$|C\+\+ exception/.test(line),
};

/** Thrust's own framework. A name alone on its line is one of `--list`; that of a template has its arguments. */
export function thrustCases(text) {
  const names = text.split('\n').filter((line) => /^\w+(?:<.*>)?$/.test(line));
  return { cases: names, disabled: [] };
}

const thrustWords = {
  begins: (line) => /^Running (\w+(?:<.*>)?)\.\.\./.exec(line)?.[1],
  ends(line, current) {
    const [, word, name] =
      /\[(PASS|FAILURE|KNOWN FAILURE|ERROR)\]\s+(?:[\d.e+-]+ ms\s+)?(\w+(?:<.*>)?)/.exec(line) ?? [];
    if (name === undefined || name !== current) return undefined;
    if (word === 'KNOWN FAILURE') return { says: 'skipped', why: 'the suite knows it to fail' };
    return { says: word === 'PASS' ? 'right' : 'wrong' };
  },
  explains: () => false,
};

/**
 * `test-backend-ops support` as CSV would be shorter; the console's lines are those that `test` prints, too. It prints the error of a failed case before
 * its name, on the same line.
 */
const ggmlLine = /^(?:(\[[A-Z].*) )? {2}([A-Z][A-Z0-9_]*\(.*\)): ?(.*)$/;
// oxlint-disable-next-line no-control-regex
const plain = (line) => line.replaceAll(/\u001b\[[0-9;]*m/g, '');

export function ggmlCases(text) {
  const found = text
    .split('\n')
    .map((line) => ggmlLine.exec(plain(line)))
    .filter(Boolean);
  const names = (wanted) => [...new Set(found.filter(([, , , rest]) => wanted(rest)).map(([, , name]) => name))];
  const supported = (rest) => !/not supported/i.test(rest);
  return { cases: names(supported), disabled: names((rest) => !supported(rest)) };
}

const ggmlWords = {
  begins: (line) => ggmlLine.exec(plain(line))?.[2],
  ends(line) {
    const text = plain(line).trimEnd();
    if (/\bOK$/.test(text)) return { says: 'right' };
    if (/\bFAIL$/.test(text)) {
      const [, error, , rest] = ggmlLine.exec(text) ?? [];
      return { says: 'wrong', why: error ?? rest ?? text };
    }
    if (/not supported/i.test(text)) return { says: 'skipped', why: 'the backend does not support it' };
    return undefined;
  },
  explains: () => false,
};

/** A case is a tester with all commands that run_tests.py has for it. Its summary counts them. */
const magmaWords = {
  begins: (line) => /^case (\S+)$/.exec(line)?.[1],
  ends(line, current) {
    if (current === undefined) return undefined;
    const [, tests, commands] = /all (\d+) tests in (\d+) commands passed!/.exec(line) ?? [];
    if (tests !== undefined) {
      if (Number(tests) > 0) return { says: 'right' };
      return Number(commands) === 0
        ? { says: 'skipped', why: 'run_tests.py has no command for it' }
        : { says: 'ended', why: `${commands} commands ran no test` };
    }
    const failed = /^ *(\d+) (tests failed accuracy test|errors detected)/.exec(line);
    if (failed && Number(failed[1]) > 0) return { says: 'wrong' };
    return undefined;
  },
  explains: (line) => /\bfailed\b/.test(line),
};

/**
 * By kind: the words of its output, the command that lists (`list`; its answer is read by `cases`), and the command that runs some. `limit` is
 * how many cases one command takes; `namesLast`: a case's name is printed with its result, not before; `runShard` runs one of GoogleTest's own shards instead of cases by name. `program` is a path in the root.
 */
export const kinds = {
  gtest: {
    words: gtestWords,
    list: (program, filter) => [program, '--gtest_list_tests', ...(filter ? [`--gtest_filter=${filter}`] : [])],
    cases: gtestCases,
    run: (program) => [program, '--gtest_flagfile=/kernloop-work/flags', '--gtest_color=no'],
    flags: gtestFilter,
    // Shuffled, so that what time allows is a sample of the whole.
    runShard: (program, filter, { index, of }) => [
      ...['env', `GTEST_TOTAL_SHARDS=${of}`, `GTEST_SHARD_INDEX=${index}`, program],
      ...[`--gtest_filter=${filter}`, '--gtest_shuffle', '--gtest_random_seed=7', '--gtest_color=no'],
    ],
    limit: 200,
  },
  thrust: {
    words: thrustWords,
    list: (program) => [program, '--list'],
    cases: thrustCases,
    run: (program, names) => [program, '--verbose', ...names],
    limit: 50,
  },
  ggml: {
    words: ggmlWords,
    list: (program) => [program, 'support', '-b', 'ROCm0'],
    cases: ggmlCases,
    run: (program, names) => [program, 'test', '-b', 'ROCm0', '-o', names.join(',')],
    namesLast: true,
    limit: 50,
  },
  magma: {
    words: magmaWords,
    list: undefined, // a program is a case
    run: (program) => [
      ...[
        'sh',
        '-c',
        'echo "case $(basename "$1")"; cd "$(dirname "$1")/.." && exec python3 run_tests.py --xsmall --ngpu 1 "$1"',
        'sh',
      ],
      program,
    ],
    limit: 1,
  },
};
