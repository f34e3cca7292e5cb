import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { someDigest, TestWorkspace, writeReproducer } from '../testing/workspace';
import { storeGeneration } from './generation';

describe('the generation of the store', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const generation = (env = {}): string => storeGeneration(workspace.root, env);

  it('stays the same while every chunk is there', () => {
    writeReproducer(workspace);
    expect(generation()).toBe(generation());
  });

  it('changes when the store is replaced, so that no cached capture of another store is a hit', () => {
    const before = generation();
    rmSync(workspace.path('.kernloop'), { recursive: true });
    expect(generation()).not.toBe(before);
  });

  it('changes once when a chunk is missing, and stays when it is back', () => {
    const reproducer = writeReproducer(workspace);
    const before = generation();
    rmSync(join(reproducer, 'capture', 'chunks.pack'));
    const after = generation();
    expect(after).not.toBe(before);
    const folder = workspace.path('.kernloop', 'store', someDigest.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${someDigest}.zst`), 'chunk');
    expect(generation()).toBe(after);
  });

  it('is the same on every machine for a store that the user names', () => {
    const other = new TestWorkspace();
    try {
      const env = { KERNLOOP_STORE: '/shared/store' };
      expect(generation(env)).toBe(storeGeneration(other.root, env));
    } finally {
      other.dispose();
    }
  });

  it('counts a capture that cannot be read as missing', () => {
    const reproducer = writeReproducer(workspace);
    const before = generation();
    rmSync(join(reproducer, 'capture', 'chunks.pack'));
    writeFileSync(join(reproducer, 'capture', 'capture.json'), '{');
    expect(generation()).not.toBe(before);
  });
});
