import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { openApp } from './app';
import { programFiles } from './program-files';

let workspace: TestWorkspace;
afterEach(() => workspace.dispose());

/** Files of the workspace; files with a `#!` line or below bin/ are executable. */
function appOf(kernloopJson: object, files: Readonly<Record<string, string>>): void {
  workspace = new TestWorkspace(kernloopJson);
  for (const [path, content] of Object.entries(files)) {
    workspace.write(path, content);
    if (content.startsWith('#!') || dirname(path).endsWith('bin')) chmodSync(workspace.path(path), 0o755);
  }
}

async function state(env: Record<string, string> = {}): Promise<string> {
  const libraries = workspace.path('lib/libapp.so');
  const ldd: FakeProgram = ({ print }) => {
    print(`\tlibapp.so => ${libraries} (0x00007f0000000000)`);
    return 0;
  };
  const deps = fakeDeps({ ldd }, workspace.native, { env: { PATH: workspace.path('bin'), ...env } });
  return JSON.stringify(await programFiles(openApp(workspace.app), deps));
}

describe('what the command of an app runs', () => {
  const python = { command: ['python3', 'run.py', 'data.bin', '--config=app.toml'] };
  const pythonFiles = {
    'lib/libapp.so': 'library',
    'venv/bin/python3': 'elf',
    'bin/python3': 'elf',
    'app/run.py': 'import helper',
    'app/helper.py': '',
    'app/data.bin': '1',
    'app/app.toml': '1',
    'lib/python3.11/site-packages/torch/nn.py': '1',
    'lib/python3.11/site-packages/torch-2.1.dist-info/RECORD': '1',
    'lib/python3.11/site-packages/editable.pth': '../../../src\n',
    'src/mine/core.py': '1',
    'path/extra.py': '1',
    'home/.local/lib/python3.11/site-packages/user.py': '1',
  };
  const shell = { command: ['sh', 'run.sh'] };
  const shellFiles = {
    'lib/libapp.so': 'library',
    'bin/sh': 'elf',
    'app/run.sh': 'LD_PRELOAD= exec "./tools/bin/solver" input > run.log\n',
    'app/tools/bin/solver': 'elf',
    'app/run.log': 'of the last run',
  };

  it.each([
    ['the interpreter', 'bin/python3'],
    ['the script', 'app/run.py'],
    ['a module beside it', 'app/helper.py'],
    ['a file that the command names', 'app/data.bin'],
    ['a file that an option names', 'app/app.toml'],
    ['a library', 'lib/libapp.so'],
    ['a package', 'lib/python3.11/site-packages/torch/nn.py'],
    ['the record of a package', 'lib/python3.11/site-packages/torch-2.1.dist-info/RECORD'],
    ['an editable package', 'src/mine/core.py'],
    ['a module on PYTHONPATH', 'path/extra.py'],
    ['a package of the user', 'home/.local/lib/python3.11/site-packages/user.py'],
  ])('of a Python app changes with %s', async (_name, path) => {
    appOf(python, pythonFiles);
    const env = { HOME: workspace.path('home'), PYTHONPATH: workspace.path('path') };
    const before = await state(env);
    expect(await state(env)).toBe(before);
    workspace.write(path, 'another');
    expect(await state(env)).not.toBe(before);
  });

  it.each([
    ['the script', 'app/run.sh', true],
    ['a program that the script starts', 'app/tools/bin/solver', true],
    ['a log that the script writes', 'app/run.log', false],
  ])('of a shell script: %s', async (_name, path, counts) => {
    appOf(shell, shellFiles);
    const before = await state();
    workspace.write(path, 'another');
    expect((await state()) !== before).toBe(counts);
  });

  it('is also what it reads from stdin', async () => {
    appOf({ command: ['./program'], stdin: 'input.txt' }, { 'lib/libapp.so': 'library', 'app/input.txt': '1' });
    const before = await state();
    workspace.write('app/input.txt', '2');
    expect(await state()).not.toBe(before);
  });

  it('of a program behind a link, by content and not by time', async () => {
    appOf({ command: ['./program'] }, { 'real/bin/program': 'elf', 'lib/libapp.so': 'library' });
    rmSync(workspace.path('app/program'));
    symlinkSync(workspace.path('real/bin/program'), workspace.path('app/program'));
    const before = await state();
    utimesSync(workspace.path('real/bin/program'), 1, 1);
    expect(await state()).toBe(before);
    writeFileSync(workspace.path('real/bin/program'), 'ELF');
    expect(await state()).not.toBe(before);
  });

  it('knows the interpreter of a script, also behind env', async () => {
    const script = '#!/usr/bin/env python3\nimport torch\n';
    appOf({ command: ['./run'] }, { ...pythonFiles, 'app/run': script });
    const before = await state();
    mkdirSync(workspace.path('lib/python3.11/site-packages/added'));
    workspace.write('lib/python3.11/site-packages/added/x.py', '');
    expect(await state()).not.toBe(before);
  });

  it('is told in an order that does not depend on where the workspace lies', async () => {
    appOf({ command: ['./run'] }, { 'lib/libapp.so': 'library', 'app/run': '#!/usr/bin/env bash\n' });
    const { files } = JSON.parse(await state()) as { files: object };
    // A workspace file, which is below /tmp, comes first in the order of whole paths.
    expect(Object.keys(files)).toEqual(['/usr/bin/env', 'app/run', 'lib/libapp.so'].filter((name) => name in files));
    expect(files).toMatchObject({
      '/usr/bin/env': expect.any(String) as string,
      'app/run': expect.any(String) as string,
    });
  });

  it('says of a program that is not there that it is not, as before the first build', async () => {
    appOf({ command: ['build/none'] }, {});
    expect(JSON.parse(await state())).toMatchObject({ files: { 'build/none': 'none' } });
  });
});
