import { mkdirSync, rmSync } from 'node:fs';
import { KernloopError } from '../support/error';
import { reproducerForEachTest } from '../testing/workspace';
import { besideProject } from './beside-project';

describe('unpacking onto a project with another capture', () => {
  const made = reproducerForEachTest();
  const before = process.cwd();
  beforeEach(() => process.chdir(made.workspace.root));
  afterEach(() => process.chdir(before));

  const taken = new KernloopError('TARGET_EXISTS', 'it exists, and is not this capture', 'move it away');
  const hint = (capture = made.workspace.path('kernels/app/saxpy/capture'), error = taken): string | undefined =>
    (besideProject(error, capture, 'sent/big one.klcap.age') as KernloopError).hint;

  it('offers a project of its own, under a name that is free', () => {
    mkdirSync(made.workspace.path('kernels/app/saxpy-2'), { recursive: true });
    expect(hint()).toBe(
      "leave it there, and make a project of this one beside saxpy: `kernloop unpack 'sent/big one.klcap.age' && nx g kernloop:reproducer 'big one' --app=app --name=saxpy-3`; or name another folder with --to",
    );
  });

  it('offers another folder without a workspace of Nx', () => {
    rmSync(made.workspace.path('nx.json'));
    expect(hint()).toBe(
      'leave it there, and name another folder with --to: unpack then says how to make a project beside saxpy',
    );
  });

  it('leaves errors about other places, and other errors, as they are', () => {
    const other = new KernloopError('CHUNK_CORRUPT', 'it is damaged', 'copy it again');
    expect(hint(undefined, other)).toBe('copy it again');
    expect(hint(made.workspace.path('elsewhere/capture'))).toBe('move it away');
    made.workspace.write('kernels/app/saxpy/capture/chunks.pack', "the user's own");
    expect(hint()).toBe('move it away');
  });
});
