import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NativePaths } from '../native/native-paths';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { decryptFile, encryptFile, identityVariable, isEncrypted, recipientsFrom, recipientsVariable } from './age';
import { makeKey, realAge } from './testing/real-age';

describe('encryption with age', () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);
  const deps = (identity?: string, programs = { age: realAge }): FakeDeps =>
    fakeDeps(programs, {} as NativePaths, { env: identity === undefined ? {} : { [identityVariable]: identity } });
  const decrypting = (file: string, identity?: string) => decryptFile(file, path('out'), 'the pack', deps(identity));
  const content = Buffer.alloc(200_000, 'memory of a program ');
  let ours: ReturnType<typeof makeKey>;
  let theirs: ReturnType<typeof makeKey>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-age-'));
    ours = makeKey(path('ours'));
    theirs = makeKey(path('theirs'));
    writeFileSync(path('in'), content);
    await encryptFile(path('in'), path('in.age'), ours.recipients, deps());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => rmSync(path('out'), { force: true }));

  it('is what age reads, and nothing of it is in clear text', () => {
    expect(execFileSync('age', ['--decrypt', '--identity', ours.identity, path('in.age')])).toEqual(content);
    expect(isEncrypted(readFileSync(path('in.age')))).toBe(true);
    expect(isEncrypted(content)).toBe(false);
    expect(readFileSync(path('in.age')).includes('memory')).toBe(false);
  });

  it('reads what age wrote, with a key from a file or from the environment, which is in no argument', async () => {
    await decrypting(path('in.age'), ours.identity);
    expect(readFileSync(path('out'))).toEqual(content);
    const asked = deps(ours.secret);
    await decryptFile(path('in.age'), path('out'), 'the pack', asked);
    expect(readFileSync(path('out'))).toEqual(content);
    expect(JSON.stringify(asked.calls)).not.toContain(ours.secret);
  });

  it.each([
    ['another key', () => theirs.identity],
    ['no key', () => undefined],
    ['a key that is not there', () => path('nowhere')],
    ['what is no key', () => path('in')],
    ['half a key in the environment', () => ours.secret.slice(0, 30)],
  ])('says so with %s, and shows none', async (_, identity) => {
    const error: unknown = await decrypting(path('in.age'), identity()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'AGE_IDENTITY' });
    expect(String(error) + JSON.stringify(error)).not.toContain(ours.secret.slice(15, 30));
  });

  it('tells damage from a wrong key: cut off anywhere, or one bit of the content changed', async () => {
    const good = readFileSync(path('in.age'));
    const header = good.indexOf('\n--- ');
    for (const length of [25, header, header + 20, good.length - 100_000, good.length - 1]) {
      writeFileSync(path('bad'), good.subarray(0, length));
      expect([length, await decrypting(path('bad'), ours.identity).catch((error: unknown) => error)]).toEqual([
        length,
        expect.objectContaining({ code: 'AGE_CORRUPT' }),
      ]);
    }
    for (const at of [header + 60, good.length >> 1, good.length - 1]) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 1;
      writeFileSync(path('bad'), bad);
      await expect(decrypting(path('bad'), ours.identity)).rejects.toMatchObject({ code: 'AGE_CORRUPT' });
    }
  });

  it('wants a file of recipients, not a key on the command line', async () => {
    expect(recipientsFrom(undefined, {})).toBeUndefined();
    expect(recipientsFrom(undefined, { [recipientsVariable]: ours.recipients })).toBe(ours.recipients);
    expect(recipientsFrom(theirs.recipients, { [recipientsVariable]: ours.recipients })).toBe(theirs.recipients);
    for (const wrong of ['age1qqq', path('nowhere')])
      expect(() => recipientsFrom(wrong, {})).toThrow(expect.objectContaining({ code: 'AGE_RECIPIENTS' }) as Error);
    const broken = encryptFile(path('in'), path('out'), path('in'), deps());
    await expect(broken).rejects.toMatchObject({ code: 'AGE_RECIPIENTS' });
    expect(existsSync(path('out'))).toBe(false);
  });

  it('says what to install where there is no age', async () => {
    const without = fakeDeps({}, {} as NativePaths);
    const error = encryptFile(path('in'), path('out'), ours.recipients, without);
    await expect(error).rejects.toMatchObject({ code: 'ENVIRONMENT_TOOL_MISSING' });
  });
});
