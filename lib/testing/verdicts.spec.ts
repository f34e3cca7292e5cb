import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '..', '..');
const page = readFileSync(join(repository, 'docs', 'contributing', 'verdicts.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| [SABCD]\d+ \|/.test(line))
  .map((line) => {
    const [number = '', , file = '', test = '', state = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { line: number, file: file.replaceAll('`', ''), test: test.replaceAll('`', ''), state };
  });

describe('the table of wrong verdicts', () => {
  it('has every line once', () => {
    const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
    const counts = { S: 28, A: 7, B: 11, C: 7, D: 6 };
    const all = Object.entries(counts).flatMap(([letter, count]) => numbered(letter, count));
    expect(rows.map(({ line }) => line)).toEqual(all);
  });

  it.each(rows.filter(({ state }) => state !== 'open'))('names a test that exists: $line', ({ file, test }) => {
    expect(file).toMatch(/(\.(spec|integration|e2e)\.ts|_test\.cpp)$/);
    expect(readFileSync(join(repository, file), 'utf8').includes(test)).toBe(true);
    expect(test.length).toBeGreaterThan(10);
  });

  it('names none where a line is open', () => {
    const open = rows.filter(({ state }) => state === 'open');
    expect(open.filter(({ file, test }) => file !== '–' || test !== '–')).toEqual([]);
  });
});
