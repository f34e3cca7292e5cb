import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pull } from '../pull/pull';
import { memoryServer, type MemoryServer } from '../remote/testing/memory-server';
import { rawChunks } from '../remote/testing/raw-chunks';
import { sha256 } from '../support/files';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { captureJson, TestWorkspace, writeReproducer } from '../testing/workspace';
import { push } from './push';

const content = Buffer.from('what the chunk holds');
const digest = sha256(content);

describe('push and pull', () => {
  let workspace: TestWorkspace;
  let server: MemoryServer;
  let reproducer: string;

  const deps = (): FakeDeps => fakeDeps({ 'kernloop-archive': rawChunks(content) }, workspace.native);
  const pushing = () => push({ capture: reproducer, remote: server.url, accept: true, dryRun: false }, deps());
  const pulling = () => pull({ source: reproducer, remote: server.url }, deps());
  const capture = (): string => join(reproducer, 'capture');
  /** Removes all files that git does not keep, as in a fresh clone. */
  const forget = (): void => {
    for (const path of [capture(), workspace.path('.kernloop', 'store')])
      rmSync(path, { recursive: true, force: true });
  };
  const withChunks = (overrides: object = {}): object =>
    captureJson({
      regions: [{ id: 'r0', base: '0x1000', size: 20, pre: { chunks: [digest] }, post: { chunks: [digest, null] } }],
      code_objects: [],
      ...overrides,
    });

  beforeEach(async () => {
    workspace = new TestWorkspace();
    server = await memoryServer();
    reproducer = writeReproducer(workspace);
    writeFileSync(join(capture(), 'capture.json'), JSON.stringify(withChunks()));
  });
  afterEach(async () => {
    await server.close();
    workspace.dispose();
  });

  it('leave the capture as it was, in a clone without it', async () => {
    const files = ['capture.json', 'selfcheck.json'].map((name): [string, Buffer] => [
      name,
      readFileSync(join(capture(), name)),
    ]);
    await expect(pushing()).resolves.toMatchObject({ chunks_sent: 1, captures: [{ regions: 1, region_bytes: 20 }] });
    forget();
    await expect(pulling()).resolves.toMatchObject({ captures: [{ outcome: 'written', chunks_fetched: 1 }] });
    for (const [name, before] of files) expect(readFileSync(join(capture(), name))).toEqual(before);
    // The capture has no pack: the chunk is in the store.
    expect(existsSync(workspace.path('.kernloop', 'store', digest.slice(0, 2), digest))).toBe(true);
    await expect(pulling()).resolves.toMatchObject({ captures: [{ outcome: 'unchanged' }], bytes_fetched: 0 });
  });

  it('say what leaves the machine before it does', async () => {
    const saying = deps();
    await push({ capture: reproducer, remote: server.url, accept: false, dryRun: true }, saying);
    expect(saying.said.info.join('\n')).toMatch(/memory of the program.*1 regions, 20 B/s);
    expect([...server.objects.keys()]).toEqual([]);
    expect(existsSync(join(reproducer, 'pushed.json'))).toBe(false);
  });

  it('send nothing where pushed.json is a file of the user, and replace their own', async () => {
    const mine = workspace.write('kernels/app/saxpy/pushed.json', '{"mine": 1}');
    await expect(pushing()).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    expect([readFileSync(mine, 'utf8'), [...server.objects.keys()]]).toEqual(['{"mine": 1}', []]);
    rmSync(mine);
    await pushing();
    await expect(pushing()).resolves.toMatchObject({ chunks_sent: 0 });
  });

  it('send nothing that the server has', async () => {
    await pushing();
    const before = new Map(server.objects);
    server.objects.set(`/cas/${digest}`, Buffer.from('not looked at'));
    await expect(pushing()).resolves.toMatchObject({ chunks_sent: 0, bytes_sent: 0 });
    expect([...server.objects.keys()]).toEqual([...before.keys()]);
  });

  it('take a reference in the place of a reproducer', async () => {
    const { reference } = await pushing();
    const to = workspace.path('elsewhere');
    await pull({ source: reference ?? '', to, remote: server.url }, deps());
    expect(readdirSync(to).sort()).toEqual(['capture.json', 'selfcheck.json']);
  });

  it('fill an empty folder of the user, which is not replaced, and stop where something else is in it', async () => {
    const { reference } = await pushing();
    const to = workspace.path('elsewhere');
    mkdirSync(to);
    const before = statSync(to).ino;
    const pullTo = () => pull({ source: reference ?? '', to, remote: server.url }, deps());
    await pullTo();
    expect([statSync(to).ino, readdirSync(to).sort()]).toEqual([before, ['capture.json', 'selfcheck.json']]);
    rmSync(join(to, 'capture.json'));
    await expect(pullTo()).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    expect(readdirSync(to)).toEqual(['selfcheck.json']);
  });

  it.each(['the chunk', 'capture.json'])('leave nothing where the server has lost %s', async (lost) => {
    await pushing();
    server.objects.delete(
      `/cas/${lost === 'the chunk' ? digest : sha256(readFileSync(join(capture(), 'capture.json')))}`,
    );
    forget();
    await expect(pulling()).rejects.toMatchObject({ code: 'REMOTE_MISSING' });
    expect(readdirSync(reproducer).filter((name) => name.startsWith('capture'))).toEqual([]);
  });

  it('leave another capture that is there alone', async () => {
    await pushing();
    writeFileSync(join(capture(), 'capture.json'), JSON.stringify(withChunks({ dispatch: { ordinal: 2, index: 1 } })));
    await expect(pulling()).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
  });

  it('refuse the capture of another kernel', async () => {
    const kernel = { name: 'other(int)', symbol: '_Z5otheri', code_object: 'a'.repeat(64) };
    writeFileSync(join(capture(), 'capture.json'), JSON.stringify(withChunks({ kernel })));
    await pushing();
    forget();
    await expect(pulling()).rejects.toMatchObject({ code: 'CAPTURE_MISMATCH' });
    expect(existsSync(capture())).toBe(false);
  });

  it.each([
    ['folder', '../../elsewhere'],
    ['folder', 'captures/../..'],
    ['files', [{ name: '../kernel.json', sha256: digest, bytes: 1 }]],
    ['files', [{ name: 'capture.json', sha256: '../../etc/passwd', bytes: 1 }]],
  ])('refuse a pushed.json whose %s leads elsewhere: %j', async (field, value) => {
    await pushing();
    const file = join(reproducer, 'pushed.json');
    const pushed = JSON.parse(readFileSync(file, 'utf8')) as { captures: Record<string, unknown>[] };
    Object.assign(pushed.captures[0] ?? {}, { [field]: value });
    writeFileSync(file, JSON.stringify(pushed));
    forget();
    await expect(pulling()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('go to a server for the first time only where that is meant, and not again', async () => {
    const unasked = () => push({ capture: reproducer, remote: server.url, accept: false, dryRun: false }, deps());
    await expect(unasked()).rejects.toMatchObject({ code: 'PUSH_NOT_ACCEPTED' });
    expect([...server.objects.keys()]).toEqual([]);
    await pushing();
    await expect(unasked()).resolves.toMatchObject({ chunks_sent: 0 });
    const other = await memoryServer();
    const elsewhere = push({ capture: reproducer, remote: other.url, accept: false, dryRun: false }, deps());
    await expect(elsewhere).rejects.toMatchObject({ code: 'PUSH_NOT_ACCEPTED' });
    await other.close();
  });

  it('need a server', async () => {
    await expect(push({ capture: reproducer, accept: true, dryRun: false }, deps())).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});
