import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

// As ctest 3.25 printed it.
const printed = `Test project /tmp/ct/b
    Start 1: Good
    Start 2: Bad
1/4 Test #1: Good .............................   Passed    0.03 sec
    Start 3: Crash
2/4 Test #2: Bad ..............................***Failed    0.02 sec
one

two
three

    Start 4: Last
3/4 Test #3: Crash ............................***Exception: SegFault  0.01 sec
soon

4/4 Test #4: Last .............................   Passed    1.01 sec

50% tests passed, 2 tests failed out of 4

Total Test time (real) =   1.07 sec
`;

function read(): { counts: unknown; failures: string[] } {
  const module = JSON.stringify(join(__dirname, 'ctest.mjs'));
  const program = `const text = process.argv[1]; import(${module}).then((ctest) => console.log(JSON.stringify({
    counts: ctest.ctestCounts(text.split('\\n')), failures: ctest.ctestFailures(text, 2) })))`;
  return JSON.parse(execFileSync(process.execPath, ['-e', program, printed], { encoding: 'utf8' })) as ReturnType<
    typeof read
  >;
}

describe('what ctest prints', () => {
  it('has the counts, and the last lines of each test that failed', () => {
    expect(read()).toEqual({
      counts: { passed: 2, failed: 2 },
      failures: [
        expect.stringMatching(/^2\/4 Test #2: Bad \.+\*\*\*Failed/),
        '  two',
        '  three',
        expect.stringMatching(/^3\/4 Test #3: Crash \.+\*\*\*Exception: SegFault/),
        '  soon',
      ],
    });
  });
});
