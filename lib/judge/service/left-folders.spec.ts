import { existsSync, mkdirSync } from 'node:fs';
import { TestWorkspace } from '../../testing/workspace';
import { nameFolders, removeLeftFolders } from './left-folders';

describe('folders of a service that was killed', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
    mkdirSync(workspace.path('home'));
  });
  afterEach(() => workspace.dispose());

  it('are removed by the next one of its home, and none else', () => {
    const [own, other, named] = ['kernloop-candidates-a', 'kernloop-candidates-b', 'precious'].map((name) => {
      workspace.write(`${name}/file`, '');
      return workspace.path(name);
    });
    nameFolders(workspace.path('home'), [own ?? '', named ?? '']);
    removeLeftFolders(workspace.path('home'));
    expect([own, other, named].map((path) => existsSync(path ?? ''))).toEqual([false, true, true]);
    removeLeftFolders(workspace.path('home'));
  });

  it.each(['', '{', '{"a": 1}'])('are none if nobody can read which they are: %j', (text) => {
    workspace.write('home/folders.json', text);
    removeLeftFolders(workspace.path('home'));
    expect(existsSync(workspace.path('home/folders.json'))).toBe(false);
  });
});
