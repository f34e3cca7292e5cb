import { chmodSync, rmSync } from 'node:fs';
import { sha256 } from '../support/files';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { captureJson, TestWorkspace } from '../testing/workspace';
import { openApp } from './app';
import { sayInterpreter } from './interpreter';
import { findProgram } from './program';

describe('the Python of an app that names none by path', () => {
  let workspace: TestWorkspace;
  const kernels = [{ name: 'saxpy', match: 'saxpy' }];

  const write = (path: string, content = path): void => {
    workspace.write(path, content);
    chmodSync(workspace.path(path), 0o755);
  };
  const capturedWith = (path: string, config: object = {}): void => {
    workspace = new TestWorkspace({ command: ['python3', 'run.py'], kernels, ...config });
    for (const folder of ['usr', 'venv', 'other']) write(`${folder}/bin/python3`);
    for (const folder of ['venv', 'other']) workspace.write(`${folder}/pyvenv.cfg`, '');
    const executable = { path, sha256: sha256(path), role: 'executable' };
    workspace.write(
      'kernels/app/saxpy/capture/capture.json',
      captureJson({ app: { name: 'app', files: [executable] } }),
    );
  };
  const env = (...folders: string[]) => ({ PATH: folders.map((folder) => workspace.path(folder)).join(':') });
  const found = (...folders: string[]): string =>
    findProgram(openApp(workspace.app), env(...folders)).slice(workspace.root.length + 1);
  const said = (...folders: string[]): Partial<FakeDeps['said']> => {
    const fake = fakeDeps({}, workspace.native, { env: env(...folders) });
    sayInterpreter(openApp(workspace.app), fake);
    return Object.fromEntries(Object.entries(fake.said).filter(([, lines]) => lines.length > 0));
  };

  afterEach(() => workspace.dispose());

  it('stays that of the captures when their environment is left', () => {
    capturedWith('venv/bin/python3');
    expect(found('venv/bin', 'usr/bin')).toBe('venv/bin/python3');
    expect(said('venv/bin', 'usr/bin')).toEqual({});
    expect(found('usr/bin')).toBe('venv/bin/python3');
    expect(said('usr/bin')).toEqual({ info: [expect.stringContaining('activate another')] });
  });

  it('is the one of the environment that is active', () => {
    capturedWith('venv/bin/python3');
    expect(found('other/bin', 'usr/bin')).toBe('other/bin/python3');
    expect(said('other/bin', 'usr/bin')).toEqual({});
  });

  it('is the one on the PATH that kernloop.json gives', () => {
    capturedWith('venv/bin/python3');
    workspace.write('app/kernloop.json', JSON.stringify({ ...config(), env: { PATH: workspace.path('usr/bin') } }));
    expect(found('other/bin')).toBe('usr/bin/python3');
    expect(said('usr/bin')).toEqual({});
  });
  const config = (): object => JSON.parse(workspace.read('app/kernloop.json')) as object;

  it('is the one on the PATH if the captures are of none in an environment, or there are none', () => {
    capturedWith('usr/bin/python3');
    write('local/bin/python3');
    expect(found('local/bin', 'usr/bin')).toBe('local/bin/python3');
    rmSync(workspace.path('kernels'), { recursive: true });
    expect([found('usr/bin'), said('usr/bin')]).toEqual(['usr/bin/python3', {}]);
  });

  it.each<[string, () => void]>([
    ['is gone', () => rmSync(workspace.path('venv/bin/python3'))],
    ['is another version now', () => write('venv/bin/python3', 'upgraded')],
  ])('is the one on the PATH where that of the captures %s, and a warning says so', (reason, change) => {
    capturedWith('venv/bin/python3');
    change();
    expect(found('usr/bin')).toBe('usr/bin/python3');
    const text = `python3 is not the Python of the captures (${workspace.path('venv/bin/python3')}, which ${reason})`;
    expect(said('usr/bin')).toEqual({ warn: [expect.stringContaining(text)] });
  });
});
