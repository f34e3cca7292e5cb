import { openApp } from '../app/app';
import { jsonReader } from '../support/lenient-json';
import { TestWorkspace } from '../testing/workspace';
import { sameLaunches } from './same-launch';

describe('a kernel beside others of its app', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    const kernels = ['first', 'again', 'later', 'absent'].map((name) => ({ name, match: '^reduce' }));
    workspace = new TestWorkspace({ kernels });
    const capture = (name: string, index: number, symbol = 'reduce.kd'): void => {
      const found = { kernel: { symbol, code_object: 'ab'.repeat(32) }, dispatch: { ordinal: 1, index } };
      workspace.write(`kernels/app/${name}/capture/capture.json`, JSON.stringify(found));
    };
    capture('first', 3);
    capture('again', 3);
    capture('later', 4);
  });
  afterEach(() => workspace.dispose());

  it('names those that hold the same dispatch, and no other', () => {
    const app = openApp(workspace.app);
    const read = jsonReader();
    expect(sameLaunches(app, 'again', read)).toEqual([
      'again is the same dispatch of the same kernel as first (kernels/app/first): an edit of one is not in the other',
    ]);
    expect([sameLaunches(app, 'later', read), sameLaunches(app, 'absent', read)]).toEqual([[], []]);
  });
});
