import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { TestWorkspace } from '../../lib/testing/workspace';
import { valueFile } from '../../lib/task-inputs/value-files';
import { writeValues } from './task-values';

describe('the values that tasks are hashed by', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());
  const file = valueFile('judged', 'kernels/app/saxpy');
  const write = (value: string): void => writeValues(workspace.root, { [file]: value });

  it('lie in files that are written where they change, and are no more where they are empty', () => {
    write('one');
    utimesSync(workspace.path(file), 1, 1);
    write('one');
    expect(statSync(workspace.path(file)).mtimeMs).toBe(1000);
    write('two');
    expect(workspace.read(file)).toBe('two');
    write('');
    expect(existsSync(workspace.path(file))).toBe(false);
    write('');
  });

  it('are written again where somebody removed, emptied, or replaced them', () => {
    write('one');
    workspace.write(file, '');
    write('one');
    expect(workspace.read(file)).toBe('one');
    workspace.write('elsewhere', 'mine');
    rmSync(workspace.path(file));
    symlinkSync(workspace.path('elsewhere'), workspace.path(file));
    write('two');
    expect([workspace.read(file), workspace.read('elsewhere')]).toEqual(['two', 'mine']);
  });

  it('end the command where they cannot be written: old ones would be hashed', () => {
    mkdirSync(workspace.path(file, 'a folder'), { recursive: true });
    expect(() => write('one')).toThrow();
  });
});
