import { mkdirSync } from 'node:fs';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { store, storeExitCode } from './maintain';
import { storeOptionsSchema } from './options';

const verified = {
  event: 'store_verified',
  chunks: 3,
  bytes_stored: 3000,
  captures: 1,
  damaged_count: 0,
  damaged: [],
  missing_count: 0,
  missing: [],
  unreadable: [],
};
const collected = {
  event: 'store_collected',
  dry_run: false,
  captures: 1,
  chunks_kept: 2,
  bytes_kept: 2000,
  chunks_recent: 0,
  bytes_recent: 0,
  chunks_removed: 1,
  bytes_removed: 1000,
};

describe('store', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
    mkdirSync(workspace.path('.kernloop', 'store'), { recursive: true });
  });
  afterEach(() => workspace.dispose());

  const depsOf = (program: FakeProgram): FakeDeps => fakeDeps({ 'kernloop-archive': program }, workspace.native);
  const printing = (event: object, code = 0): FakeDeps =>
    depsOf(({ print }) => {
      print(event);
      return code;
    });
  const run = (deps: FakeDeps, options: object) =>
    store(storeOptionsSchema.parse({ workspace: workspace.root, ...options }), deps);

  it('verifies the store of the workspace for the captures of the workspace', async () => {
    const deps = printing(verified);
    const result = await run(deps, { action: 'verify' });
    expect(deps.calls[0]?.args).toEqual([
      'store-verify',
      workspace.path('.kernloop', 'store'),
      '--root',
      workspace.root,
    ]);
    expect(storeExitCode(result)).toBe(0);
  });

  it('fails with the capture that needs a missing chunk, and the way back', async () => {
    const missing = [
      { sha256: 'ab', message: 'chunk ab is missing', captures: [workspace.path('kernels/a/b/capture')] },
    ];
    const deps = printing({ ...verified, missing_count: 1, missing }, 1);
    expect(storeExitCode(await run(deps, { action: 'verify' }))).toBe(1);
    expect(deps.said.result.join('\n')).toMatch(/ab is missing; needed by kernels\/a\/b\/capture[^]*unpack/);
  });

  it('counts a manifest that cannot be read as a failure', async () => {
    const deps = printing({ ...verified, unreadable: [{ code: 'JSON_INVALID', message: 'x is not JSON' }] }, 1);
    expect(storeExitCode(await run(deps, { action: 'verify' }))).toBe(1);
  });

  it('collects with a day of grace, and the cache of Nx kept', async () => {
    const deps = printing(collected);
    await run(deps, { action: 'gc' });
    expect(deps.calls[0]?.args.slice(2)).toEqual(['--root', workspace.root, '--grace-seconds', '86400']);
    await run(deps, { action: 'gc', keepCached: false, dryRun: true, graceHours: 0.5, captureRoot: ['/other'] });
    expect(deps.calls[1]?.args.slice(2)).toEqual(
      ['--root', workspace.root, '--root', '/other', '--skip', workspace.path('.nx'), '--grace-seconds', '1800'].concat(
        '--dry-run',
      ),
    );
  });

  it('does not collect a shared store without the captures of the others', async () => {
    const deps = printing(collected);
    mkdirSync(workspace.path('shared'));
    const options = { action: 'gc', store: workspace.path('shared') };
    expect(await failure(run(deps, options))).toMatchObject({ code: 'USAGE' });
    expect(deps.calls).toEqual([]);
    await run(deps, { ...options, captureRoot: ['/other'] });
    expect(deps.calls).toHaveLength(1);
  });

  it('says that there is no store, and what the program refuses', async () => {
    const absent = { action: 'stats', store: workspace.path('nowhere') };
    expect(await failure(run(printing(verified), absent))).toMatchObject({ code: 'STORE_NOT_FOUND' });
    const busy = printing({ event: 'error', code: 'STORE_BUSY', message: 'in use', hint: 'later' }, 2);
    expect(await failure(run(busy, { action: 'gc' }))).toMatchObject({ code: 'STORE_BUSY', what: 'in use' });
    // An exit code that no result has.
    expect(await failure(run(printing(collected, 1), { action: 'gc' }))).toMatchObject({ code: 'NATIVE_FAILED' });
  });
});
