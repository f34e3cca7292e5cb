import { fakeDeps } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { fakeRecorder } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { extract } from './extract';
import { extractOptionsSchema } from './options';

describe('extract', () => {
  let workspace: TestWorkspace;
  afterEach(() => workspace.dispose());

  it('says of each kernel why it was not captured, and what to do, each once', async () => {
    workspace = new TestWorkspace({ kernels: ['a', 'b'].map((name) => ({ name, match: `^${name}\\(` })) });
    const summary = { kernels: [{ name: 'c(float*)', dispatches: 1 }] };
    const deps = fakeDeps(
      { ldd: () => 1, program: () => 0, 'kernloop-recorder': fakeRecorder({ play: () => undefined, summary }) },
      workspace.native,
    );
    const error = await failure(extract(extractOptionsSchema.parse({ app: workspace.app }), deps));
    expect(error.what).toMatch(/^a: none of [^]*\nalso: b: none of /);
    expect(error.hint).toMatch(/if a is not wanted[^]*if b is not wanted/);
  });
});
