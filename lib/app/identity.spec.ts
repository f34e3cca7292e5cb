import { statSync, utimesSync } from 'node:fs';
import { sha256 } from '../support/files';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { openApp } from './app';
import { appIdentity, type AppFile } from './identity';

describe('the identity of an app', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  async function files(command: string[], program: string, libraries: string[] = []): Promise<AppFile[]> {
    workspace.write('app/kernloop.json', { name: 'app', command });
    const ldd = fakeDeps(
      {
        ldd: ({ print }) => {
          for (const path of libraries) print(`\t${path.split('/').at(-1)} => ${path} (0x00007f0000000000)`);
          return 0;
        },
      },
      workspace.native,
    );
    return (await appIdentity(openApp(workspace.app), program, {}, ldd)).files;
  }

  it('has the program and its libraries, but neither the CUDA driver nor the software GPU', async () => {
    const libraries = ['a/libhelper.so', 'b/libcuda.so.1', 'b/libcudart.so.13'].map((path) =>
      workspace.write(path, path),
    );
    libraries.push(workspace.native.softgpu);
    const found = await files(['./program'], workspace.path('app/program'), libraries);
    expect(found.map(({ path, role }) => [path, role])).toEqual([
      ['app/program', 'executable'],
      ['a/libhelper.so', 'library'],
      ['b/libcudart.so.13', 'library'],
    ]);
  });

  it('says where a file outside of the workspace lies, and sees its new content under the old time', async () => {
    const outside = new TestWorkspace();
    const library = outside.write('opt/libk.so', 'factor 2');
    const [, before] = await files(['./program'], workspace.path('app/program'), [library]);
    expect(before?.path).toBe(library);
    const { atime, mtime } = statSync(library);
    outside.write('opt/libk.so', 'factor 3');
    utimesSync(library, atime, mtime);
    const [, after] = await files(['./program'], workspace.path('app/program'), [library]);
    expect(after).toEqual({ path: library, sha256: sha256('factor 3'), role: 'library' });
    // Path of a library as the loader reports it for an RPATH with $ORIGIN/..: archives refuse a path that climbs.
    outside.write('bin/program', '');
    const [, climbing] = await files(['./program'], workspace.path('app/program'), [
      outside.path('bin/../opt/libk.so'),
    ]);
    expect(climbing?.path).toBe(library);
    outside.dispose();
  });

  it('has the script that an interpreter runs, by its content', async () => {
    const python = workspace.write('venv/bin/python3.12', 'interpreter');
    workspace.write('app/train.py', 'print(1)');
    const command = ['python3.12', '-u', 'train.py', '--epochs', '3'];
    const [, before] = await files(command, python);
    expect(before).toMatchObject({ path: 'app/train.py', role: 'script' });
    workspace.write('app/train.py', 'print(2)');
    const [, after] = await files(command, python);
    expect(after?.sha256).not.toBe(before?.sha256);
  });

  it('takes no argument of a program for a script', async () => {
    workspace.write('app/data.bin', 'data');
    expect(await files(['./program', 'data.bin'], workspace.path('app/program'))).toHaveLength(1);
  });
});
