import { launchBefore } from './launch-before';

const readme = (rows: Record<string, string>, n = '`0x400`') => `# hist

## What was captured

| | |
|---|---|
| kernel | \`hist(int const*, int)\` |
${Object.entries({ 'code object': 'sha256 `aa`', grid: '4 x 1 x 1 blocks of 256 x 1 x 1 threads', ...rows })
  .map(([name, value]) => `| ${name} | ${value} |\n`)
  .join('')}
| argument | type | role | offset | bytes | captured value | memory |
|---|---|---|---:|---:|---|---|
| \`values\` | \`int const*\` | in | 0 | 8 | \`0x41b700201000\` | r0, 4.0 KiB |
| \`n\` | \`int\` | in | 8 | 4 | ${n} |  |

## What to do with it

| grid | of another table |
`;

describe('the launch that a project was of', () => {
  it('is none for one launch, also if another version of Kernloop writes more of it', () => {
    expect(launchBefore(readme({}), readme({ executed: '576 wave-instructions' }))).toBeUndefined();
    expect(launchBefore('', readme({}))).toBeUndefined();
    const [before, now] = ['^hist', '(^\\|[ :])hist'].map((match) =>
      readme({ dispatch: `number 1 that matches \`${match}\`` }),
    );
    expect(launchBefore(before ?? '', now ?? '')).toBeUndefined();
  });

  it('is told by the facts that differ, three at most', () => {
    const grid = '8 x 1 x 1 blocks of 128 x 1 x 1 threads';
    expect(launchBefore(readme({}), readme({ grid }, '`0x800`'))).toBe(
      'grid 4 x 1 x 1 blocks of 256 x 1 x 1 threads, now 8 x 1 x 1 blocks of 128 x 1 x 1 threads; n 0x400, now 0x800',
    );
    const before = { executed: '5 wave-instructions', stored: '2 KiB' };
    const now = { 'code object': 'sha256 `bb`', grid, executed: '6 wave-instructions', stored: '3 KiB' };
    expect(launchBefore(readme(before), readme(now))).toMatch(/^another build of the kernel; grid .*; executed 5 .* 6/);
  });
});
