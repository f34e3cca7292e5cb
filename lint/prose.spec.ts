import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..');

interface Pages {
  generated: string[];
  reference: string[];
  long: Record<string, number>;
}

const pages = JSON.parse(readFileSync(join(root, 'lint/prose-pages.json'), 'utf8')) as Pages;

const none: Pages = { generated: [], reference: [], long: {} };

const words = (count: number): string =>
  `Each ${Array<string>(count - 1)
    .fill('word')
    .join(' ')}`;

const turns = {
  'of what': 'It shows a part of what it read.',
  'of which': 'Two files, one of which is small.',
  'that which': 'A number greater than that which it had.',
  'those which': 'Keep those which pass.',
  'so ends': 'So ends a kernel without output.',
  'so does': 'A store fails, and so does a load.',
  'is told': 'The reader is told.',
  'says so': 'The result says so.',
  lies: 'The file lies in the folder.',
  lay: 'The file lay there.',
  stands: 'The number stands in the table.',
  'is none': 'A load is none.',
  'is no time': 'A count is no time.',
  'are no numbers': 'These are no numbers.',
  'by hand': 'Edit it by hand.',
  'by itself': 'It runs by itself.',
  'is not held against': 'The race is not held against the variant.',
  'but for': 'All pass but for one.',
};

const good = [
  '# A page',
  `${words(35)}. ${words(35)}.`,
  `- ${words(35)}`,
  `\`${words(40)}\` is one word, and [a link](https://nowhere.invalid/lies) has ${words(20)}.`,
  `\`\`\`\nso ends what lies here ${words(40)}\n\`\`\``,
  `| a | b |\n|---|---|\n| ${words(40)} | b |`,
  `<!-- so ends ${words(40)} -->`,
  'The letter N stands for a number. The fake stands in for a driver: a stand-in. The name of whatever is read. It gives you no time to wait. What is it?',
];

/** Faults by page, of a house with these pages. */
function faults(house: Readonly<Record<string, string>>, lists: Pages): [status: number | null, said: string[]] {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-prose-'));
  try {
    for (const [file, text] of Object.entries({ ...house, 'lint/prose-pages.json': JSON.stringify(lists) })) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    for (const file of ['.remarkignore', 'lint/prose.mjs']) cpSync(join(root, file), join(folder, file));
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const args = (scripts['lint:prose'] ?? '').split(' ').slice(1);
    const program = join(root, 'node_modules/remark-cli/cli.js');
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
    let page = '';
    const said = stderr.split('\n').flatMap((line) => {
      if (/^\S+\.md/.test(line)) page = line.replace(/:.*/, '').trim();
      const [, reason] = /^\s*(?:[\d:-]+\s+)?warning\s+(.*)/.exec(line) ?? [];
      return reason === undefined ? [] : [`${page} ${reason.trim()}`];
    });
    return [status, said];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('npm run lint:prose', () => {
  it('names long sentences, each turn, and headings that are half a sentence', () => {
    const page = [
      '# Of pages',
      '## What is read',
      `Short. ${words(36)}: "quoted", and done.`,
      `- a list\n- ${words(36)}`,
      '| of what |\n|---|\n| a cell |',
      ...Object.values(turns),
    ];
    const [status, said] = faults({ 'README.md': page.join('\n\n'), 'docs/deep/page.md': `${words(36)}\n` }, none);
    expect(status).toBe(1);
    const begin = (text: string): string => text.slice(0, text.indexOf(':')).toLowerCase();
    expect(said.map(begin).sort()).toEqual(
      [
        'README.md heading "Of pages"',
        'README.md heading "What is read"',
        'README.md 36 words, at most 35',
        'README.md 36 words, at most 35',
        'README.md "of what"',
        ...Object.keys(turns).map((turn) => `README.md "${turn}"`),
        'docs/deep/page.md 36 words, at most 35',
      ]
        .map((text) => text.toLowerCase())
        .sort(),
    );
  });

  it('has nothing against short sentences, code, tables with long cells, and these words in other senses', () => {
    expect(faults({ 'README.md': good.join('\n\n'), 'docs/page.md': '' }, none)).toEqual([0, []]);
  });

  it('names task pages of more than 1,200 words, code included, unless a list has them', () => {
    const page = (count: number): string => `${'A word. '.repeat((count - 4) / 2)}\n\n\`\`\`sh\na command\n\`\`\`\n`;
    const house = {
      ...{ 'README.md': page(1300), 'docs/reference/a.md': page(1300), 'docs/contributing/a.md': page(1300) },
      ...{ 'docs/a.md': page(1200), 'docs/b.md': page(1202), 'docs/c.md': page(1300), 'docs/d.md': page(1302) },
      'docs/e.md': page(1302),
    };
    const lists = { ...none, reference: ['docs/e.md'], long: { 'docs/c.md': 1300, 'docs/d.md': 1300 } };
    const [status, said] = faults(house, lists);
    expect([status, said.map((text) => text.slice(0, text.indexOf(':')))]).toEqual([
      1,
      ['docs/b.md page of 1202 words, at most 1200', 'docs/d.md page of 1302 words, at most 1300'],
    ]);
  });

  it('leaves generated pages alone', () => {
    const house = { 'README.md': words(36), 'docs/a.md': words(36) };
    const [status, said] = faults(house, { ...none, generated: ['docs/a.md'] });
    expect([status, said.map((text) => text.slice(0, 20))]).toEqual([1, ['README.md 36 words, ']]);
  });
});

it('every page that is not checked, or only in part, exists', () => {
  for (const page of [...pages.generated, ...pages.reference, ...Object.keys(pages.long)])
    expect(readFileSync(join(root, page), 'utf8')).not.toBe('');
});

it('every page of the list of long ones is too long, and its limit is near: a page that was cut stays short', () => {
  for (const [page, most] of Object.entries(pages.long)) {
    const words = readFileSync(join(root, page), 'utf8').split(/\s+/).filter(Boolean).length;
    expect([page, words > 1200, most - words < 150]).toEqual([page, true, true]);
  }
});
