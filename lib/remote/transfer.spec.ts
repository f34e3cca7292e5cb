import { failure } from '../testing/failure';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { throwIfInterrupted } from '../support/interrupted';
import type { Sink, Source } from './content';
import { rawChunks } from './testing/raw-chunks';
import { fetchChunks, sendChunks } from './transfer';

/** More chunks than one batch has. */
const digests = Array.from({ length: 150 }, (_, index) => index.toString(16).padStart(64, '0'));

describe('a transfer that is stopped', () => {
  const workspace = new TestWorkspace();
  afterAll(() => workspace.dispose());

  const controllerAfter = (requests: number) => {
    const controller = new AbortController();
    let begun = 0;
    return {
      signal: controller.signal,
      request: (): void => {
        if (++begun > requests) controller.abort('SIGINT');
        throwIfInterrupted(controller.signal);
      },
    };
  };
  /** An archive that has every chunk. */
  const archive = { 'kernloop-archive': rawChunks(Buffer.from('x')) };

  it('says how many chunks the server has', async () => {
    const { signal, request } = controllerAfter(100);
    const sink: Sink = {
      has: () => Promise.resolve(false),
      putFile: () =>
        Promise.resolve()
          .then(request)
          .then(() => 1),
    };
    const error = await failure(
      sendChunks('capture', digests, [], sink, fakeDeps(archive, workspace.native, { signal })),
    );
    expect(error.code).toBe('INTERRUPTED');
    const [, sent] = /^the server has at least (\d+) of the 150 chunks that it lacked, /.exec(error.hint) ?? [];
    // Some answers to pending requests had not arrived, in order, when the transfer stopped.
    expect([Number(sent) >= 64, Number(sent) <= 100]).toEqual([true, true]);
  });

  it('ends with an error where the native program ends before all that is asked of it', async () => {
    const sink: Sink = { has: () => Promise.resolve(false), putFile: () => Promise.resolve(1) };
    const ending: FakeProgram = ({ print }) => {
      print({ event: 'exported', chunks: 0, bytes: 0 });
      return 0;
    };
    const deps = fakeDeps({ 'kernloop-archive': ending }, workspace.native);
    const error = await failure(sendChunks('capture', digests, [], sink, deps));
    expect([error.code, error.what]).toEqual([
      'NATIVE_FAILED',
      expect.stringMatching(/ended before all chunks of capture/),
    ]);
  });

  it('counts what was fetched only once the store has it', async () => {
    const { signal, request } = controllerAfter(100);
    const source = {
      get: () =>
        Promise.resolve()
          .then(request)
          .then(() => Buffer.from('x')),
    } as Pick<Source, 'get'> as Source;
    const importing = {
      'kernloop-archive': ({ print }: { print: (event: object) => void }): number => {
        print({ event: 'imported', chunks: 64, bytes_added: 1 });
        return 0;
      },
    };
    const error = await failure(
      fetchChunks(digests, '/store', source, fakeDeps(importing, workspace.native, { signal })),
    );
    expect(error.hint).toMatch(
      /^\/store has at least 64 of the 150 chunks that it lacked, .*run it again for the rest$/,
    );
  });
});
