import { TestWorkspace } from '../testing/workspace';
import { neededResults, openTrace } from './open-trace';

describe('neededResults', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const results = (path: string) => neededResults(openTrace(workspace.path(path), undefined));

  it('are the .bin files, and nothing else that lies beside them', () => {
    for (const name of ['0.500000.bin', '0.500000.dmat', '0.500000.png']) workspace.write(`one/result/${name}`, '');
    expect(results('one').map(({ path }) => path)).toEqual([workspace.path('one/result/0.500000.bin')]);
    expect(results('one/result/0.500000.bin')).toHaveLength(1);
  });

  it('of a trace without one, and of counted accesses, is an error and no success', () => {
    workspace.write('empty/event.log', '');
    workspace.write('empty/result/a.dmat', '');
    expect(() => results('empty/result/a.dmat')).toThrow('holds accesses that were counted, no records');
    workspace.write('other/event.log', '');
    expect(() => results('other')).toThrow('holds no result file');
  });
});
