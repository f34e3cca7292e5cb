import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { damageOf } from './damage';

describe('damage of a capture', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  it.each([
    ['null for a whole one', { event: 'verified', chunks: 3 }, null],
    [
      'the error about a chunk',
      { event: 'error', code: 'CHUNK_CORRUPT', message: 'chunk 0 is damaged' },
      'CHUNK_CORRUPT',
    ],
    [
      'the error about its pack',
      { event: 'error', code: 'PACK_CORRUPT', message: 'its end is missing' },
      'PACK_CORRUPT',
    ],
    ['null where something else is wrong', { event: 'error', code: 'CAPTURE_INVALID', message: 'no JSON' }, null],
  ])('is %s', async (_name, event, code) => {
    const program = ({ print }: { print: (event: object) => void }) => {
      print(event);
      return code === null ? 0 : 2;
    };
    const deps = fakeDeps({ 'kernloop-archive': program }, workspace.native);
    const folder = workspace.path('kernels/app/saxpy/capture');
    expect((await damageOf(folder, deps))?.code ?? null).toBe(code);
    expect(deps.calls[0]?.args).toEqual(['verify', folder, '--store', workspace.path('.kernloop/store')]);
  });
});
