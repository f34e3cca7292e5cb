import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..');

const house = {
  'package.json': JSON.stringify({
    name: 'planted',
    exports: './cli/api.ts',
    dependencies: { zod: '*', commander: '*' },
  }),
  'cli/api.ts': "export { used } from '../lib/app/app';\n",
  'lib/app/app.ts':
    "import { z } from 'zod';\nexport const used = z.string();\nexport const local = 1;\nexport const more = local;\n",
  'lib/app/forgotten.ts': 'export {};\n',
};

it('npm run lint:unused names an export, a file and a dependency that nothing uses', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-unused-'));
  try {
    for (const [file, text] of Object.entries(house)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    cpSync(join(root, 'knip.jsonc'), join(folder, 'knip.jsonc'));
    const program = join(root, 'node_modules', 'knip', 'bin', 'knip.js');
    const args = [program, '--no-progress', '--no-config-hints', '--reporter', 'compact'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(status).toBe(1);
    const said = [...new Set(stdout.split('\n').filter((line) => line.includes(': ')))];
    expect(said.sort()).toEqual([
      'lib/app/app.ts: local, more',
      'lib/app/forgotten.ts: lib/app/forgotten.ts',
      'package.json: commander',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
