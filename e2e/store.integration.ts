import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Workspace } from './in-process';
import { Nginx } from './nginx';
import { addProbeApp } from './probe';

/** A capture with chunks in the store, copied to a workspace without a store. */
describe('packed captures and the store', () => {
  let workspace: Workspace;
  let elsewhere: Workspace;
  const project = 'kernels/outputs/two_outputs';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    elsewhere = Workspace.create([]);
    const app = await addProbeApp(workspace, 'outputs', ['outputs'], [{ name: 'two_outputs', match: 'two_outputs' }]);
    const outcome = await workspace.kernloop(['extract', '--app', app], {
      env: { KERNLOOP_EXTRACT_INLINE_LIMIT_BYTES: '1' },
    });
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    expect(existsSync(workspace.path(project, 'capture/chunks.pack'))).toBe(false);
  });
  afterAll(() => {
    workspace.remove();
    elsewhere.remove();
  });

  it('replays on another machine, without any store', async () => {
    const packed = await workspace.kernloop(['pack', project, '--output', elsewhere.path('a.klcap')]);
    expect([packed.code, packed.text]).toEqual([0, expect.stringContaining('a.klcap')]);
    // The reproducer comes through git without its capture.
    cpSync(workspace.path('kernels'), elsewhere.path('kernels'), { recursive: true });
    rmSync(elsewhere.path(project, 'capture'), { recursive: true });
    const unpacked = await elsewhere.kernloop(['unpack', 'a.klcap', '--to', project]);
    expect([unpacked.code, unpacked.text]).toEqual([0, expect.stringContaining('verified')]);
    const verdict = await elsewhere.kernloop(['validate', '--reproducer', project, '--variant', 'none']);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(existsSync(elsewhere.path('.kernloop/store'))).toBe(false);
  });

  describe('on a server', () => {
    let nginx: Nginx;
    let env: Record<string, string>;
    const capture = `${project}/capture`;

    beforeAll(async () => {
      nginx = await Nginx.start();
      env = { KERNLOOP_REMOTE: nginx.url };
      cpSync(workspace.path('kernels'), elsewhere.path('kernels'), { recursive: true });
    });
    beforeEach(() => {
      for (const path of [elsewhere.path(capture), elsewhere.path('.kernloop/store')])
        rmSync(path, { recursive: true, force: true });
    });
    afterAll(() => nginx.remove());

    it('are pushed once, and replay where they are pulled', async () => {
      const unasked = await workspace.kernloop(['push', project], { env });
      expect([unasked.code, unasked.text]).toEqual([2, expect.stringMatching(/memory of the program.*NOT_ACCEPTED/s)]);
      const pushed = await workspace.kernloop(['push', project, '--accept'], { env });
      expect([pushed.code, pushed.text]).toEqual([0, expect.stringMatching(/memory of the program.*sent [1-9]/s)]);
      const again = await workspace.kernloop(['push', project], { env });
      expect([again.code, again.text]).toEqual([0, expect.stringContaining('sent 0 of')]);
      cpSync(workspace.path(project, 'pushed.json'), elsewhere.path(project, 'pushed.json'));

      const pulled = await elsewhere.kernloop(['pull', project], { env });
      expect([pulled.code, pulled.text]).toEqual([0, expect.stringContaining('pulled and verified')]);
      const verdict = await elsewhere.kernloop(['validate', '--reproducer', project, '--variant', 'none']);
      expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    });

    it('give a replay the chunks that no store has', async () => {
      expect((await elsewhere.kernloop(['pull', project], { env })).code).toBe(0);
      rmSync(elsewhere.path('.kernloop/store'), { recursive: true });
      const without = await elsewhere.kernloop(['validate', '--reproducer', project, '--variant', 'none']);
      expect([without.code, without.text]).toEqual([2, expect.stringContaining('CHUNK_MISSING')]);
      const verdict = await elsewhere.kernloop(['validate', '--reproducer', project, '--variant', 'none'], { env });
      expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/fetching [1-9].*Result: PASS/s)]);
    });

    it('that dies while a replay fetches them is an error, and the next replay is right', async () => {
      expect((await elsewhere.kernloop(['pull', project], { env })).code).toBe(0);
      rmSync(elsewhere.path('.kernloop/store'), { recursive: true });
      const validate = ['validate', '--reproducer', project, '--variant', 'none'];
      // The reproducer came with a verdict.
      rmSync(elsewhere.path(project, 'report.json'), { force: true });
      nginx.network.reset(3000, () => nginx.network.cut(true));
      const broken = await elsewhere.kernloop(validate, { env });
      nginx.network.reset();
      expect([broken.code, broken.text]).toEqual([5, expect.stringMatching(/fetching [1-9].*REMOTE_UNREACHABLE/s)]);
      expect(existsSync(elsewhere.path(project, 'report.json'))).toBe(false);
      const verdict = await elsewhere.kernloop(validate, { env });
      expect([verdict.code, verdict.text]).toEqual([0, expect.stringMatching(/fetching [1-9].*Result: PASS/s)]);
    });

    it('are an error when a byte of them was changed there, and nothing is kept', async () => {
      const { captures } = JSON.parse(readFileSync(elsewhere.path(project, 'pushed.json'), 'utf8')) as {
        captures: { files: { name: string; sha256: string }[] }[];
      };
      const manifest = captures[0]?.files.find(({ name }) => name === 'capture.json')?.sha256 ?? '';
      const { regions } = JSON.parse(readFileSync(nginx.file(manifest), 'utf8')) as {
        regions: { pre: { chunks: (string | null)[] } }[];
      };
      const chunk = regions.flatMap(({ pre }) => pre.chunks).find((digest) => digest !== null) ?? '';
      for (const digest of [chunk, manifest]) {
        const good = readFileSync(nginx.file(digest));
        writeFileSync(nginx.file(digest), Buffer.concat([good.subarray(1), good.subarray(0, 1)]));
        const pulled = await elsewhere.kernloop(['pull', project], { env });
        writeFileSync(nginx.file(digest), good);
        expect([pulled.code, pulled.text]).toEqual([2, expect.stringMatching(/REMOTE_CORRUPT/)]);
        expect(pulled.text).toContain(digest);
        expect(readdirSync(elsewhere.path(project)).filter((name) => name.startsWith('capture'))).toEqual([]);
      }
      expect((await elsewhere.kernloop(['pull', project], { env })).code).toBe(0);
    });
  });

  it('gc keeps what the capture needs, and takes it once the capture is gone', async () => {
    const kept = await workspace.kernloop(['store', 'gc', '--grace-hours', '0', '--json']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ result: { captures: 1, chunks_removed: 0 } });
    const verified = await workspace.kernloop(['store', 'verify']);
    expect([verified.code, verified.text]).toEqual([0, expect.stringContaining('0 damaged, 0 missing')]);
    rmSync(workspace.path(project, 'capture'), { recursive: true });
    const recent = await workspace.kernloop(['store', 'gc', '--json']);
    expect(JSON.parse(recent.stdout)).toMatchObject({ result: { chunks_removed: 0 } });
    const collected = await workspace.kernloop(['store', 'gc', '--grace-hours', '0']);
    expect([collected.code, collected.text]).toEqual([0, expect.stringMatching(/removed [1-9]/)]);
    const folders = readdirSync(workspace.path('.kernloop/store')).filter((name) => /^[0-9a-f]{2}$/.test(name));
    expect(folders.flatMap((name) => readdirSync(workspace.path('.kernloop/store', name)))).toEqual([]);
  });
});
