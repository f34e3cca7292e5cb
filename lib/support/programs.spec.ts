import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathFolders, programsIn } from './programs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kernloop-programs-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('finds the executable files of a name, folders and other files left out, each once', () => {
  for (const folder of ['one', 'two', 'three', 'four/tool']) mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['one', 'two', 'three']) writeFileSync(join(root, folder, 'tool'), '');
  for (const folder of ['two', 'three']) chmodSync(join(root, folder, 'tool'), 0o755);
  const folders = ['four', 'three', 'one', 'none', 'two', 'three'].map((folder) => join(root, folder));
  expect(programsIn(folders, 'tool')).toEqual([join(root, 'three/tool'), join(root, 'two/tool')]);
});

it('takes an empty entry of a PATH for the working directory', () => {
  expect(pathFolders('/bin::/usr/bin')).toEqual(['/bin', '.', '/usr/bin']);
});
