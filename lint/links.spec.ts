import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..');

const house = {
  'README.md':
    '# House\n\n[a page](docs/page.md) [its part](docs/page.md#a-part) [far away](https://nowhere.invalid/x) `[code](no.md)`\n',
  'docs/page.md':
    '# Page\n\n## A part\n\n| in a table |\n|---|\n| [no file](gone.md) |\n\n[no part](../README.md#gone) [no part here](#gone)\n',
  '.github/page.md': '[no file](gone.md)\n',
  'node_modules/other/README.md': '[not ours](gone.md)\n',
};

it('npm run lint:links names links to files and headings that are not there, and asks no network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-links-'));
  try {
    for (const [file, text] of Object.entries(house)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    cpSync(join(root, '.remarkignore'), join(folder, '.remarkignore'));
    // Plugins are resolved from the folder of the file.
    const rc = readFileSync(join(root, '.remarkrc.json'), 'utf8');
    const plugin = join(root, 'node_modules/remark-validate-links/index.js');
    writeFileSync(join(folder, '.remarkrc.json'), rc.replace('remark-validate-links', plugin));
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const args = (scripts['lint:links'] ?? '').split(' ').slice(1);
    const program = join(root, 'node_modules/remark-cli/cli.js');
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
    const said = [...stderr.matchAll(/^(\d+):.*Cannot find (file|heading)/gm)].map(
      ([, line, what]) => `${line} ${what}`,
    );
    expect([status, said.sort()]).toEqual([1, ['1 file', '7 file', '9 heading', '9 heading']]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
