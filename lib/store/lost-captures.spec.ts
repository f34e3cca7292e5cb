import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureJson, someDigest, TestWorkspace, writeReproducer } from '../testing/workspace';
import { keepCapture } from '../archive/kept-capture';
import { lostCaptures, lostOrKept } from './lost-captures';

describe('captures that this workspace lost', () => {
  let workspace: TestWorkspace;
  let reproducer: string;
  const name = 'kernels/app/saxpy';

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
  });
  afterEach(() => workspace.dispose());

  const lost = (): string | undefined => lostCaptures(workspace.root, {}).get(name);
  const withoutPack = (): void => rmSync(join(reproducer, 'capture', 'chunks.pack'));
  function withChunk(): void {
    const folder = workspace.path('.kernloop', 'store', someDigest.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${someDigest}.zst`), 'chunk');
  }

  it('are none while a capture holds its chunks, whatever the store is', () => {
    expect(lost()).toBeUndefined();
    withChunk();
    rmSync(workspace.path('.kernloop'), { recursive: true });
    expect(lost()).toBeUndefined();
  });

  it('are none while the store has the chunks, and nothing is written', () => {
    withoutPack();
    withChunk();
    expect(lost()).toBeUndefined();
    expect(() => workspace.read('.kernloop/lost.json')).toThrow(/ENOENT/);
  });

  it('become others when a chunk is missing, and stay so when it is back', () => {
    withoutPack();
    const [once, again] = [lost(), lost()];
    expect(once).toMatch(/^[0-9a-f-]{36}$/);
    expect(again).not.toBe(once);
    withChunk();
    const back = lost();
    expect([back, lost()]).toEqual([again, again]);
  });

  it('are told apart with those from elsewhere, over which no cached capture is restored', () => {
    expect(lostOrKept(workspace.root, {}).get(name)).toBeUndefined();
    keepCapture(join(reproducer, 'capture'), 'theirs.klpack');
    const kept = lostOrKept(workspace.root, {}).get(name);
    expect(kept).toMatch(/^ kept [0-9a-f]{64}$/);
    workspace.write(`${reproducer}/capture/capture.json`, captureJson({ dispatch: { ordinal: 2, index: 1 } }));
    expect(lostOrKept(workspace.root, {}).get(name)).toBeUndefined();
    keepCapture(join(reproducer, 'capture'), 'theirs.klpack');
    expect(lostOrKept(workspace.root, {}).get(name)).not.toBe(kept);
  });

  it('are those of the kernel that lost them alone', () => {
    workspace.write('kernels/app/other/capture/capture.json', captureJson());
    workspace.write('kernels/app/other/capture/chunks.pack', 'pack');
    withoutPack();
    expect([...lostCaptures(workspace.root, {}).keys()]).toEqual([name]);
  });

  it('count a capture that cannot be read', () => {
    withoutPack();
    withChunk();
    writeFileSync(join(reproducer, 'capture', 'capture.json'), '{');
    expect(lost()).toBeDefined();
  });

  it('are others in every command where that cannot be written down, or is damaged', () => {
    withoutPack();
    workspace.write('.kernloop', 'a file in the place of the folder');
    expect(lost()).not.toBe(lost());
    rmSync(workspace.path('.kernloop'));
    workspace.write('.kernloop/lost.json', '{');
    expect(lost()).toMatch(/^[0-9a-f-]{36}$/);
  });
});
