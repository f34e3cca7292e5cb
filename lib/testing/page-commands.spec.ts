import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, exactly, faultOf, fencesOf, missingLine, promisedCode, shapeOf } from './page-commands';

const root = join(__dirname, '..', '..');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  // The other pages of docs/reference are generated.
  'docs/reference/how-validate-judges.md',
];

describe('the commands of a page', () => {
  const page = [
    'Text.',
    '<!-- first: sed -i s/a/b/ file -->',
    '```sh nightly',
    '$ one --x \\',
    '    --y',
    'printed',
    '$ two',
    '```',
    '',
    '```diff kernels/a.hip',
    '-a',
    '+b',
    '```',
    '```',
    'npx kernloop doctor',
    '```',
    '',
  ].join('\n');
  const [session, edit, unmarked] = fencesOf(page);

  it('are those behind prompts, with what they print', () => {
    expect(session).toMatchObject({ line: 3, language: 'sh', attribute: 'nightly', first: 'sed -i s/a/b/ file' });
    expect(commandsOf(session?.content ?? '')).toEqual([
      { text: 'one --x --y', output: ['printed'] },
      { text: 'two', output: [] },
    ]);
  });

  it('are all lines where there is no prompt', () => {
    expect(commandsOf('one\n\ntwo   # why\n')).toEqual([
      { text: 'one', output: [] },
      { text: 'two   # why', output: [] },
    ]);
  });

  it('are told from edits', () => {
    expect(edit).toMatchObject({ language: 'diff', attribute: 'kernels/a.hip', first: '' });
  });

  it('have to be marked, by words that are known', () => {
    expect([session, edit].map((fence) => fence && faultOf(fence))).toEqual([undefined, undefined]);
    expect(unmarked && faultOf(unmarked)).toMatch(/not marked/);
    const fence = { line: 1, language: 'sh', first: '', content: 'x\n' };
    expect(faultOf({ ...fence, attribute: 'needs=gpu' })).toBeUndefined();
    expect(faultOf({ ...fence, attribute: 'needs=time' })).toMatch(/gpu/);
    expect(faultOf({ ...fence, attribute: 'skip' })).toMatch(/nightly/);
  });
});

describe('what a page shows', () => {
  const printed = 'n 0\nn 1\nend\na\n  12 of 30 bytes, 0x41b7 at /tmp/x/kernels/k\nb\nc\n';

  it.each<[string, string[], string | undefined]>([
    ['other figures', ['a', '99 of 1,000 bytes, 0xff at …/kernels/k'], undefined],
    ['lines left out where it says so', ['a', '…', 'c'], undefined],
    ['a line that looks like an earlier one', ['…', 'n 2', 'end'], undefined],
    ['a part of a line', ['b', 'c'], undefined],
    ['a line left out in silence', ['a', 'b'], 'b'],
    ['a line that is not printed', ['a', '…', 'd'], 'd'],
    ['another order', ['c', '…', 'a'], 'a'],
    ['a word that is not there', ['12 of 30 words, 0x41b7 at /kernels/k'], '12 of 30 words, 0x41b7 at /kernels/k'],
    ['the beginning and end of a line', ['12 of … at /kernels/k'], undefined],
    ['an end that is not there', ['12 of … at /kernels/other'], '12 of … at /kernels/other'],
  ])('%s', (_, shown, missing) => {
    expect(missingLine(shown, printed)).toBe(missing);
  });

  it('is held to its figures where the page says so', () => {
    expect(missingLine(['12  of 30 bytes, 0x41b7 at /tmp/x/kernels/k', 'b'], printed, exactly)).toBeUndefined();
    expect(missingLine(['13 of 30 bytes, 0x41b7 at /tmp/x/kernels/k'], printed, exactly)).toMatch(/^13/);
  });

  it('keeps words, and units but those of sizes', () => {
    expect(shapeOf('5.5 KiB in 3 files')).toBe(shapeOf('420 B  in 14 files'));
    expect(shapeOf('5 ms')).not.toBe(shapeOf('5 waves'));
  });

  it.each([
    [['Result: PASS (1 byte)'], 0],
    [['x', 'Result: FAIL (2 bytes)'], 1],
    [['Result: VACUOUS (…)'], 3],
    [['Result: FAIL (the device faulted: …'], 4],
    [['error: no such [KERNEL_UNKNOWN]', '  → hint'], 77],
    [[], 0],
  ])('%j promises the exit code %i', (output, code) => {
    expect(promisedCode(output, (error) => (error === 'KERNEL_UNKNOWN' ? 77 : -1))).toBe(code);
  });
});

it.each(pages)('%s says of every command what the tests do with it', (name) => {
  const faults = fencesOf(readFileSync(join(root, name), 'utf8')).flatMap((fence) => {
    const fault = faultOf(fence);
    return fault === undefined ? [] : [`${name}:${fence.line} ${fault}`];
  });
  expect(faults).toEqual([]);
});
