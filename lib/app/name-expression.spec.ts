import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernelEntrySchema } from './kernloop-json';
import { mostBytes, mostNesting, problemOfExpression } from './name-expression';

const nested = (open: string, depth: number): string => `${open.repeat(depth)}x${')'.repeat(depth)}`;

describe('an expression for kernel names', () => {
  it.each([
    ['is as long as any may be', 'x'.repeat(mostBytes)],
    ['has as many groups inside each other as any may have', nested('(', mostNesting)],
    ['has more groups beside each other', '(x)'.repeat(mostNesting + 1)],
    ['has more parentheses that are escaped', String.raw`\(`.repeat(mostNesting + 1)],
    ['has more parentheses in a class', `[${'('.repeat(mostNesting + 1)}]`],
    ['has them behind a bracket that is escaped in a class', String.raw`[\]` + '('.repeat(mostNesting + 1) + ']'],
  ])('is taken if it %s', (_what, source) => {
    expect(problemOfExpression(source)).toBeNull();
  });

  it.each([
    ['is too long', 'x'.repeat(mostBytes + 1), 'has 16385 bytes'],
    ['is too long in bytes, not in characters', 'é'.repeat(mostBytes / 2 + 1), 'has 16386 bytes'],
    ['has too many groups', nested('(', mostNesting + 1), 'has 101 groups'],
    ['has too many look-aheads', nested('(?=', mostNesting + 1), 'has 101 groups'],
    ['has too many groups behind others', String.raw`[(\])]` + nested('(?:x)(', mostNesting + 1), 'has 101 groups'],
    ['is none', '(', 'Invalid regular expression'],
  ])('is refused if it %s', (_what, source, problem) => {
    expect(problemOfExpression(source)).toContain(problem);
  });

  it('has the bounds of the recorder', () => {
    const header = readFileSync(join(__dirname, '../../native/recorder/name_pattern.h'), 'utf8');
    expect(header).toContain(`kMaxPatternBytes = size_t{${mostBytes / 1024}} << 10;`);
    expect(header).toContain(`kMaxPatternNesting = ${mostNesting};`);
  });

  it.each(['match', 'after'])('is refused by the name of its field, "%s", where kernloop.json is read', (field) => {
    const read = kernelEntrySchema.safeParse({ name: 'scale', match: 'scale', [field]: 'x'.repeat(mostBytes + 1) });
    expect(read.error?.issues.map((issue) => issue.path)).toEqual([[field]]);
    expect(read.error?.issues[0]?.message).toContain('has 16385 bytes');
  });
});
