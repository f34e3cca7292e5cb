import { thrown } from '../testing/failure';
import { captureJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { openReproducer } from './reproducer';

describe('the reproducer of a folder', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  it('is none of a capture without a project, and the way to one is named', () => {
    workspace.write('downloads/x/capture.json', captureJson());
    const { code, what, hint } = thrown(() => openReproducer(workspace.path('downloads/x')));
    expect([code, what]).toEqual(['CONFIG_MISSING', expect.stringContaining('is a capture without a project')]);
    expect(hint).toContain('`kernloop unpack FILE`');
  });

  it('is that above the capture of a project', () => {
    const root = writeReproducer(workspace);
    expect(openReproducer(`${root}/capture`).root).toBe(root);
  });
});
