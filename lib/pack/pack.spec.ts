import { join } from 'node:path';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { captureJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { unpackOptionsSchema } from '../unpack/options';
import { unpack } from '../unpack/unpack';
import { packOptionsSchema } from './options';
import { pack } from './pack';

describe('pack and unpack', () => {
  let workspace: TestWorkspace;
  let deps: FakeDeps;

  beforeEach(() => {
    workspace = new TestWorkspace();
    deps = fakeDeps(
      {
        'kernloop-archive': ({ args, print }) => {
          const common = { capture_sha256: 'ab', chunks: 2, bytes: 10 };
          print(
            args[0] === 'pack' ? { event: 'packed', ...common } : { event: 'unpacked', outcome: 'written', ...common },
          );
          return 0;
        },
      },
      workspace.native,
    );
  });
  afterEach(() => workspace.dispose());

  const storeArguments = (): string[] => ['--store', workspace.path('.kernloop', 'store')];
  const packed = (options: object) => pack(packOptionsSchema.parse(options), deps);
  const unpacked = (options: object) => unpack(unpackOptionsSchema.parse(options), deps);

  it('packs the capture of a reproducer, with the stores that may have its chunks', async () => {
    const reproducer = writeReproducer(workspace);
    await packed({ capture: reproducer, output: '/tmp/a.klcap' });
    expect(deps.calls[0]?.args).toEqual([
      'pack',
      join(reproducer, 'capture'),
      '--output',
      '/tmp/a.klcap',
      ...storeArguments(),
    ]);
  });

  it('names the file of a bare capture after its kernel', async () => {
    workspace.write('some/capture.json', captureJson());
    const { file } = await packed({ capture: workspace.path('some') });
    expect(file).toBe(join(process.cwd(), 'saxpy.klcap'));
  });

  it('unpacks into the capture of a reproducer, for its kernel only', async () => {
    const reproducer = writeReproducer(workspace);
    await unpacked({ file: '/tmp/a.klcap', to: reproducer });
    const target = join(reproducer, 'capture');
    expect(deps.calls[0]?.args).toEqual(['unpack', '/tmp/a.klcap', '--output', target, '--symbol', '_Z5saxpyPff']);
  });

  it('unpacks into the folder that is named, or one named after the file', async () => {
    await unpacked({ file: '/tmp/a.klcap', to: workspace.path('new') });
    await unpacked({ file: '/tmp/a.klcap' });
    const targets = deps.calls.map(({ args }) => args[3]);
    expect(targets).toEqual([workspace.path('new'), join(process.cwd(), 'a')]);
  });
});
