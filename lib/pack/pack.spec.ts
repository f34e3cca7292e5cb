import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
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

  describe('an empty folder of the user', () => {
    let empty: string;
    /** As the shell that is in the folder sees it. */
    const inode = (): number => statSync(empty).ino;
    beforeEach(() => {
      empty = workspace.path('empty');
      mkdirSync(empty);
    });
    const archive = (end: number): FakeDeps =>
      fakeDeps(
        {
          'kernloop-archive': ({ args, print }) => {
            mkdirSync(args[3] ?? '', { recursive: true });
            for (const name of ['capture.json', 'chunks.pack']) writeFileSync(join(args[3] ?? '', name), name);
            const code = { event: 'error', code: 'PACKED_INVALID', message: 'damaged', hint: 'pack again' };
            print(
              end === 0 ? { event: 'unpacked', outcome: 'written', capture_sha256: 'ab', chunks: 2, bytes: 10 } : code,
            );
            return end;
          },
        },
        workspace.native,
      );

    it.each(['.', 'empty'])('is filled, not replaced (--to %s)', async (to) => {
      deps = archive(0);
      const before = inode();
      const started = process.cwd();
      process.chdir(to === '.' ? empty : workspace.root);
      try {
        expect(await unpacked({ file: '/tmp/a.klcap', to })).toMatchObject({ capture: empty, outcome: 'written' });
      } finally {
        process.chdir(started);
      }
      expect([inode(), readdirSync(empty).sort()]).toEqual([before, ['capture.json', 'chunks.pack']]);
    });

    it('stays empty where the file is damaged', async () => {
      deps = archive(1);
      const before = inode();
      await expect(unpacked({ file: '/tmp/a.klcap', to: empty })).rejects.toThrow('damaged');
      expect([inode(), readdirSync(empty)]).toEqual([before, []]);
    });
  });
});
