import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityVariable } from '../age/age';
import { makeKey, realAge } from '../age/testing/real-age';
import { pull } from '../pull/pull';
import { memoryServer, type MemoryServer } from '../remote/testing/memory-server';
import { fetchLacking } from '../remote/fetch-lacking';
import { rawChunks } from '../remote/testing/raw-chunks';
import { openReproducer } from '../reproducer/reproducer';
import { sha256 } from '../support/files';
import { fakeDeps } from '../testing/fake-deps';
import { captureJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { push } from './push';

const content = Buffer.from('what the chunk holds');
const digest = sha256(content);

describe('push and pull, encrypted', () => {
  let workspace: TestWorkspace;
  let server: MemoryServer;
  let reproducer: string;
  let ours: ReturnType<typeof makeKey>;
  let theirs: ReturnType<typeof makeKey>;

  const deps = (identity?: string) =>
    fakeDeps({ 'kernloop-archive': rawChunks(content), age: realAge }, workspace.native, {
      env: identity === undefined ? {} : { [identityVariable]: identity },
    });
  const pushing = (encrypt = ours.recipients) =>
    push({ capture: reproducer, remote: server.url, encrypt, accept: false, dryRun: false }, deps());
  const pulling = (identity?: string) => pull({ source: reproducer, remote: server.url }, deps(identity));
  const capture = (): string => join(reproducer, 'capture');
  const forget = (): void => {
    for (const path of [capture(), workspace.path('.kernloop', 'store')])
      rmSync(path, { recursive: true, force: true });
  };
  const left = (): string[] => readdirSync(reproducer).filter((name) => name.startsWith('capture'));

  beforeEach(async () => {
    workspace = new TestWorkspace();
    server = await memoryServer();
    reproducer = writeReproducer(workspace);
    ours = makeKey(workspace.path('ours'));
    theirs = makeKey(workspace.path('theirs'));
    const region = { id: 'r0', base: '0x1000', size: 20, pre: { chunks: [digest] }, post: { chunks: [digest, null] } };
    writeFileSync(
      join(capture(), 'capture.json'),
      JSON.stringify(captureJson({ regions: [region], code_objects: [] })),
    );
  });
  afterEach(async () => {
    await server.close();
    workspace.dispose();
  });

  it('leave the capture as it was where the key is, and nothing to read on the server or in pushed.json', async () => {
    const manifest = readFileSync(join(capture(), 'capture.json'));
    await expect(pushing()).resolves.toMatchObject({ chunks_sent: 1, encrypted: true });
    const stored = [...server.objects];
    expect(stored.length).toBeGreaterThanOrEqual(4);
    for (const [name, object] of stored) {
      // A server that checks digests accepts the object.
      expect(name).toBe(`/cas/${sha256(object)}`);
      expect(object.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n/);
    }
    const shown = `${stored.map(([name]) => name).join(' ')} ${readFileSync(join(reproducer, 'pushed.json'), 'utf8')}`;
    expect(shown).not.toContain(digest);
    expect(shown).not.toMatch(/saxpy/);
    forget();
    await expect(pulling(ours.identity)).resolves.toMatchObject({ captures: [{ outcome: 'written' }] });
    expect(readFileSync(join(capture(), 'capture.json'))).toEqual(manifest);
    const chunk = workspace.path('.kernloop', 'store', digest.slice(0, 2), digest);
    expect(readFileSync(chunk)).toEqual(content);
  });

  it('send nothing twice for the same readers, and all of it for others', async () => {
    const first = await pushing();
    // A torn last line, as a killed process may leave it, is no entry.
    const ledgers = workspace.path('.kernloop', 'encrypted');
    appendFileSync(join(ledgers, readdirSync(ledgers)[0] ?? ''), `${digest} 12`);
    const before = [...server.objects.keys()];
    await expect(pushing()).resolves.toMatchObject({ chunks_sent: 0, bytes_sent: 0, reference: first.reference });
    expect([...server.objects.keys()]).toEqual(before);
    const other = await pushing(theirs.recipients);
    expect(other).toMatchObject({ chunks_sent: 1 });
    expect(other.reference).not.toBe(first.reference);
    // A server that lost an object gets it again.
    server.objects.clear();
    await expect(pushing()).resolves.toMatchObject({ chunks_sent: 1 });
  });

  it.each([
    ['without a key', undefined],
    ['with a key that it is not for', 'theirs'],
  ])('leave nothing %s', async (_, key) => {
    await pushing();
    forget();
    const identity = key === undefined ? undefined : theirs.identity;
    await expect(pulling(identity)).rejects.toMatchObject({ code: 'AGE_IDENTITY' });
    expect(left()).toEqual([]);
  });

  it('give a replay what no store has, and nothing wrong', async () => {
    await pushing();
    rmSync(join(capture(), 'chunks.pack'), { force: true });
    const store = workspace.path('.kernloop', 'store');
    const fetching = (identity?: string) => {
      const remote = { KERNLOOP_REMOTE: server.url };
      const programs = { 'kernloop-archive': rawChunks(content), age: realAge };
      const env = identity === undefined ? remote : { ...remote, [identityVariable]: identity };
      return fetchLacking(
        openReproducer(reproducer),
        capture(),
        [store],
        fakeDeps(programs, workspace.native, { env }),
      );
    };
    // The same, although the plain chunk is on the same server.
    server.objects.set(`/cas/${digest}`, Buffer.from('other content'));
    await expect(fetching()).rejects.toMatchObject({ code: 'AGE_IDENTITY' });
    await expect(fetching(theirs.identity)).rejects.toMatchObject({ code: 'AGE_IDENTITY' });
    expect(existsSync(store)).toBe(false);
    await fetching(ours.identity);
    expect(readFileSync(join(store, digest.slice(0, 2), digest))).toEqual(content);

    // Objects that are missing or changed when the replay fetches them.
    for (const [name, object] of [...server.objects].filter(([key]) => key !== `/cas/${digest}`)) {
      rmSync(store, { recursive: true, force: true });
      server.objects.set(name, Buffer.concat([object.subarray(0, -1), Buffer.from([(object.at(-1) ?? 0) ^ 1])]));
      // The files of the capture are here already and are not requested.
      const outcome = await fetching(ours.identity).catch((error: unknown) => error);
      if (outcome === undefined) expect(readFileSync(join(store, digest.slice(0, 2), digest))).toEqual(content);
      else {
        expect(outcome).toMatchObject({ code: 'REMOTE_CORRUPT' });
        expect(existsSync(join(store, digest.slice(0, 2), digest))).toBe(false);
      }
      server.objects.set(name, object);
    }
  });

  it('take no object in the place of another, and no changed one', async () => {
    await pushing();
    forget();
    const good = new Map(server.objects);
    const names = [...good.keys()];
    for (const [index, name] of names.entries()) {
      const object = good.get(name) ?? Buffer.alloc(0);
      const flipped = Buffer.from(object);
      flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
      const other = good.get(names[(index + 1) % names.length] ?? '') ?? Buffer.alloc(0);
      for (const bad of [flipped, object.subarray(0, -1), other]) {
        server.objects.set(name, bad);
        await expect(pulling(ours.identity)).rejects.toMatchObject({ code: 'REMOTE_CORRUPT' });
        expect(left()).toEqual([]);
      }
      server.objects.set(name, object);
    }
    await pulling(ours.identity);
    expect(existsSync(join(capture(), 'capture.json'))).toBe(true);
  });
});
