import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityVariable } from '../age/age';
import { makeKey, realAge } from '../age/testing/real-age';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import { unpackOptionsSchema } from '../unpack/options';
import { unpack } from '../unpack/unpack';
import { packOptionsSchema } from './options';
import { pack } from './pack';

/** Content of the packed file: any bytes do, if unpack gets the same. */
const content = 'all of the capture, with a needle in it';

/** A kernloop-archive whose packed file is `content` and which accepts any capture. */
const archive: FakeProgram = ({ args, print }) => {
  const [verb, from = '', , to = ''] = args;
  const common = { capture_sha256: 'ab', chunks: 2, bytes: content.length };
  if (verb === 'pack') {
    writeFileSync(to, content);
    print({ event: 'packed', ...common });
  } else {
    writeFileSync(to, readFileSync(from));
    print({ event: 'unpacked', outcome: 'written', ...common });
  }
  return 0;
};

describe('pack and unpack, encrypted', () => {
  let workspace: TestWorkspace;
  let reproducer: string;
  let ours: ReturnType<typeof makeKey>;
  let theirs: ReturnType<typeof makeKey>;
  const file = (): string => workspace.path('a.klcap.age');
  const into = (): string => workspace.path('unpacked');

  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
    [ours, theirs] = [makeKey(workspace.path('ours')), makeKey(workspace.path('theirs'))];
  });
  afterEach(() => workspace.dispose());

  const deps = (identity?: string) =>
    fakeDeps({ 'kernloop-archive': archive, age: realAge }, workspace.native, {
      env: identity === undefined ? {} : { [identityVariable]: identity },
    });
  const packing = () =>
    pack(packOptionsSchema.parse({ capture: reproducer, output: file(), encrypt: ours.recipients }), deps());
  const unpacking = (identity?: string) =>
    unpack(unpackOptionsSchema.parse({ file: file(), to: into() }), deps(identity));
  /** No plain and no partial file may be left in any folder. */
  const left = (): string[] =>
    [workspace.root, reproducer].flatMap((folder) => readdirSync(folder)).filter((name) => /pack|partial/.test(name));

  it('give whoever has the key what was packed, and nothing to read to others', async () => {
    await expect(packing()).resolves.toMatchObject({ file: file(), encrypted: true });
    const stored = readFileSync(file(), 'latin1');
    expect(stored).toMatch(/^age-encryption\.org\/v1\n/);
    expect(stored).not.toContain('needle');
    expect(left()).toEqual([]);
    await expect(unpacking(ours.identity)).resolves.toMatchObject({ outcome: 'written' });
    expect(readFileSync(into(), 'utf8')).toBe(content);
    expect(left()).toEqual(['unpacked']);
  });

  it('replace what they packed there before, and no file of the user', async () => {
    await packing();
    await packing();
    writeFileSync(file(), 'mine');
    await expect(packing()).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    expect(readFileSync(file(), 'utf8')).toBe('mine');
    expect(left()).toEqual([]);
  });

  it.each([
    ['without a key', undefined],
    ['with a key that it is not for', 'theirs'],
  ])('leave nothing %s', async (_, key) => {
    await packing();
    await expect(unpacking(key && theirs.identity)).rejects.toMatchObject({ code: 'AGE_IDENTITY' });
    expect(existsSync(into())).toBe(false);
    expect(left()).toEqual([]);
  });

  it('refuse a file that was cut or changed, before anything is unpacked', async () => {
    await packing();
    const good = readFileSync(file());
    const flipped = Buffer.from(good);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    for (const bad of [flipped, good.subarray(0, -1), good.subarray(0, -20)]) {
      writeFileSync(file(), bad);
      await expect(unpacking(ours.identity)).rejects.toMatchObject({ code: 'AGE_CORRUPT' });
      expect(existsSync(into())).toBe(false);
      expect(left()).toEqual([]);
    }
    rmSync(file());
  });

  it('leave no file where the readers cannot be read', async () => {
    writeFileSync(ours.recipients, 'nobody\n');
    await expect(packing()).rejects.toMatchObject({ code: 'AGE_RECIPIENTS' });
    expect(existsSync(file())).toBe(false);
    expect(existsSync(join(reproducer, 'capture.pack'))).toBe(false);
    expect(left()).toEqual([]);
  });
});
