import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');

/** Comments that begin with one of these words are fragments, which must be read twice (CONTRIBUTING.md). */
const fragment = /^(Of|What|Where|Who|So)\b/;

/** First words of comments, with line numbers. A line comment below another one continues it. */
function beginnings(text: string, mark: '//' | '#'): [line: number, words: string][] {
  const line = new RegExp(`^\\s*${mark}+ (.*)`);
  const lines = text.split('\n');
  return lines.flatMap((each, index): [number, string][] => {
    const words = line.exec(each)?.[1] ?? /\/\*\*? (.*)/.exec(each)?.[1] ?? afterCode(each, mark);
    const isFirst = !line.test(each) || !line.test(lines[index - 1] ?? '');
    return words !== undefined && isFirst ? [[index + 1, words]] : [];
  });
}

const afterCode = (line: string, mark: string): string | undefined =>
  new RegExp(`[;,{}()>\\]] +${mark} (.*)`).exec(line)?.[1];

/** The committed PTX holds the digests of these: their comments change with its next build. */
const digested = ['device_kernels_params.h', 'device_shim.h', 'scrub_params.h'].map(
  (name) => `native/cuda/kernels/${name}`,
);

const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.cjs', '*.h', '*.cpp', '*.py'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => file !== '' && !/^native\/abi\/hsa\/vendor\/|fixtures\//.test(file) && !digested.includes(file));

it('finds the fragment in a comment of each form', () => {
  const text = [
    '// Of a token.',
    '  // Reads it.',
    '  // So it goes on.',
    ['/', '** What it holds. */'].join(''),
    ['int a;  ', '// Where it begins.'].join(''),
  ];
  const found = beginnings(text.join('\n'), '//').filter(([, words]) => fragment.test(words));
  expect(found.map(([line]) => line)).toEqual([1, 4, 5]);
});

it('no comment begins with a fragment', () => {
  const found = files.flatMap((file) =>
    beginnings(readFileSync(join(root, file), 'utf8'), file.endsWith('.py') ? '#' : '//')
      .filter(([, words]) => fragment.test(words))
      .map(([line, words]) => `${file}:${line}: ${words}`),
  );
  expect(found).toEqual([]);
});
