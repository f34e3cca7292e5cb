import { keepCapture, keptIn } from '../archive/kept-capture';
import { fakeDeps } from '../testing/fake-deps';
import { failure } from '../testing/failure';
import { fakeRecorder, fakeReplay } from '../testing/fake-programs';
import { captureJson, TestWorkspace } from '../testing/workspace';
import { extract } from './extract';
import { extractOptionsSchema } from './options';

describe('extract', () => {
  let workspace: TestWorkspace;
  afterEach(() => workspace.dispose());

  it('keeps a capture from elsewhere, unless it is asked to capture again', async () => {
    workspace = new TestWorkspace();
    const place = workspace.path('kernels/app/saxpy/capture');
    workspace.write(`${place}/capture.json`, captureJson());
    keepCapture(place, 'theirs.klpack');
    const deps = fakeDeps(
      { ldd: () => 1, program: () => 0, 'kernloop-recorder': fakeRecorder(), 'kernloop-replay': fakeReplay() },
      workspace.native,
    );
    const run = (options: object) => extract(extractOptionsSchema.parse({ app: workspace.app, ...options }), deps);
    const appRuns = (): number => deps.calls.filter(({ program }) => program === 'program').length;
    await run({});
    expect(deps.said.result.join()).toMatch(/capture is from theirs.klpack and kept: .*--recapture` replaces it/);
    expect([appRuns(), keptIn(place)?.from]).toEqual([0, 'theirs.klpack']);
    await run({ recapture: true });
    expect([appRuns(), keptIn(place)]).toEqual([1, null]);
  });

  it('captures no kernel again whose capture kernloop.json says to be from elsewhere', async () => {
    const entry = { name: 'saxpy', match: '^saxpy\\(', from: 'theirs.klpack' };
    workspace = new TestWorkspace({ kernels: [entry] });
    workspace.write('kernels/app/saxpy/capture/capture.json', captureJson());
    const deps = fakeDeps({ ldd: () => 1, program: () => 0 }, workspace.native);
    const run = (options: object) => extract(extractOptionsSchema.parse({ app: workspace.app, ...options }), deps);
    const error = await failure(run({ recapture: true }));
    expect(error.what).toMatch(/is from theirs.klpack and kept; remove "from" from the entry of saxpy/);
    await run({});
    expect(deps.calls.map(({ program }) => program)).not.toContain('program');
  });

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
