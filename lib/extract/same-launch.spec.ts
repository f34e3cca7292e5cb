import { openApp } from '../app/app';
import { jsonReader } from '../support/lenient-json';
import { TestWorkspace } from '../testing/workspace';
import { sameLaunches } from './same-launch';

describe('a kernel beside others of its app', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    const names = ['first', 'again', 'later', 'absent', 'other-run', 'other-launch', 'other-size'];
    const kernels = names.map((name) => ({ name, match: '^reduce' }));
    workspace = new TestWorkspace({ kernels });
    const capture = (name: string, index: number, rest: object = {}): void => {
      const kernel = { symbol: 'reduce.kd', code_object: 'ab'.repeat(32) };
      const launch = { app: { command: ['./app'] }, geometry: { grid_blocks: [4, 1, 1] }, regions: [{ size: 64 }] };
      const found = { kernel, dispatch: { ordinal: 1, index }, ...launch, ...rest };
      workspace.write(`kernels/app/${name}/capture/capture.json`, JSON.stringify(found));
    };
    capture('first', 3);
    capture('again', 3);
    capture('later', 4);
    // Captures of a colleague, who ran the same program otherwise.
    capture('other-run', 3, { app: { command: ['./app', '8192'] } });
    capture('other-launch', 3, { geometry: { grid_blocks: [8, 1, 1] } });
    capture('other-size', 3, { regions: [{ size: 128 }] });
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
