import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repository, run, Workspace, type Outcome } from './harness';
import { Recipe } from './recipe';

/** Tokens: trusted branches write; proposed changes only read. */
const tokens = { write: 'of-the-trusted', read: 'of-the-team' };

/** Nx's documented protocol of a self-hosted remote cache: PUT and GET /v1/cache/<hash>, with a bearer token. */
class RemoteCache {
  readonly entries = new Map<string, Buffer>();
  /** Attempts to write with a read-only token. */
  refused = 0;
  private constructor(private readonly server: Server) {}

  static async start(): Promise<RemoteCache> {
    const server = createServer((request, response) => {
      const hash = /^\/v1\/cache\/([\w-]+)$/.exec(request.url ?? '')?.[1];
      const answer = (status: number, body?: Buffer): void => void response.writeHead(status).end(body);
      const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
      if (token !== tokens.write && token !== tokens.read) return answer(401);
      if (hash === undefined) return answer(404);
      if (request.method === 'GET') return answer(cache.entries.has(hash) ? 200 : 404, cache.entries.get(hash));
      if (request.method !== 'PUT') return answer(405);
      if (token !== tokens.write) {
        cache.refused += 1;
        return answer(403);
      }
      if (cache.entries.has(hash)) return answer(409);
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        cache.entries.set(hash, Buffer.concat(parts));
        answer(200);
      });
    });
    const cache = new RemoteCache(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return cache;
  }

  get environment(): Record<string, string> {
    return {
      NX_SELF_HOSTED_REMOTE_CACHE_SERVER: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      NX_SELF_HOSTED_REMOTE_CACHE_ACCESS_TOKEN: tokens.write,
    };
  }

  stop(): void {
    this.server.close();
  }
}

/** Origin of the result of each cached task of a run. */
const origins = ({ text }: Outcome): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/nx run outputs(?:-two_outputs)?:([\w-]+)(.*)$/gm)].map(([, task = '', more = '']) => [
      task,
      /\[(.*cache)\]/.exec(more)?.[1] ?? 'ran',
    ]),
  );

/** Captures, verdicts and builds of one machine are available on another without running anything. */
describe('a cache that two workspaces share', () => {
  let remote: RemoteCache;
  let first: Workspace;
  let second: Workspace;
  const project = 'kernels/outputs/two_outputs';
  const fromRemote = { 'capture-two_outputs': 'remote cache', recompile: 'remote cache', validate: 'remote cache' };

  const nx = (workspace: Workspace, args: readonly string[], more: Record<string, string> = {}): Promise<Outcome> =>
    workspace.nx([...args, '--outputStyle=static'], { env: { ...remote.environment, ...more } });

  /** A clone: files that git has of the other workspace, without captures. */
  async function cloneOf(other: Workspace): Promise<Workspace> {
    const workspace = Workspace.create([]);
    await workspace.git('init', '-q', '-b', 'main');
    await workspace.git('fetch', '-q', other.root, 'main');
    await workspace.git('reset', '-q', '--hard', 'FETCH_HEAD');
    expect(existsSync(workspace.path(project, 'kernel.json'))).toBe(true);
    expect(existsSync(workspace.path(project, 'capture'))).toBe(false);
    return workspace;
  }

  beforeAll(async () => {
    remote = await RemoteCache.start();
    first = Workspace.create([]);
    first.write('.gitignore', `${first.read('.gitignore')}bin\nreport.json\n`);
    mkdirSync(first.path('apps/outputs/bin'), { recursive: true });
    copyFileSync(join(repository, 'e2e/fixtures/probe/probe.hip'), first.path('apps/outputs/probe.hip'));
    // A database names its folder, which differs in each clone.
    first.write(
      'apps/outputs/build.sh',
      `set -e
mkdir -p bin
test bin/probe -nt probe.hip && test -e bin/compile_commands.json && exit
hipcc -x hip --offload-arch=gfx90a -O2 probe.hip -o bin/probe
echo '[{"directory":"'"$PWD"'","file":"'"$PWD"'/probe.hip","arguments":["hipcc","-x","hip","--offload-arch=gfx90a","-O2","-c","probe.hip"]}]' \\
  > bin/compile_commands.json
`,
    );
    first.write('apps/outputs/kernloop.json', {
      name: 'outputs',
      device: 'softgpu',
      build: { command: ['bash', 'build.sh'], outputs: ['bin'] },
      command: ['bin/probe', 'outputs'],
      env: { HIP_PLATFORM: 'amd' },
      compileCommands: 'bin/compile_commands.json',
      kernels: [{ name: 'two_outputs', match: 'two_outputs' }],
    });
    await first.commitAll();
    const extracted = await nx(first, ['run', 'outputs:extract-kernel']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    await first.commitAll();
    const judged = await nx(first, ['run', 'outputs-two_outputs:validate']);
    expect([judged.code, judged.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(remote.entries.size).toBeGreaterThanOrEqual(4);
    second = await cloneOf(first);
  });
  afterAll(() => {
    remote.stop();
    first.remove();
    second.remove();
  });

  it('gives a clone the capture, the compiled variant and the verdict', async () => {
    const entries = remote.entries.size;
    const judged = await nx(second, ['run', 'outputs-two_outputs:validate']);
    expect([judged.code, judged.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(origins(judged)).toMatchObject(fromRemote);
    expect(second.read(`${project}/capture/capture.json`)).toBe(first.read(`${project}/capture/capture.json`));
    expect(remote.entries.size).toBe(entries);
  });

  it('gives it the generated files too, whatever folder the compile database names', async () => {
    const extracted = await nx(second, ['run', 'outputs:extract-kernel']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    expect(origins(extracted)).toMatchObject({ 'generate-two_outputs': 'remote cache' });
    expect((await second.git('status', '--porcelain')).stdout).toBe('');
  });

  it('gives nothing to whoever has no token', async () => {
    const status = await fetch(`${remote.environment['NX_SELF_HOSTED_REMOTE_CACHE_SERVER'] ?? ''}/v1/cache/1`);
    expect(status.status).toBe(401);
  });

  const withToken = (token: string) => ({ NX_SELF_HOSTED_REMOTE_CACHE_ACCESS_TOKEN: token });

  it('is read with the token of readers, and takes nothing from them', async () => {
    const third = await cloneOf(first);
    try {
      const entries = new Map(remote.entries);
      const judged = await nx(third, ['run', 'outputs-two_outputs:validate'], withToken(tokens.read));
      expect([judged.code, judged.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
      expect(origins(judged)).toMatchObject(fromRemote);
      third.edit(`${project}/kernel_variant.hip`, (before) => before.replace('in[i] * 3', '3 * in[i]'));
      const edited = await nx(third, ['run', 'outputs-two_outputs:validate'], withToken(tokens.read));
      expect([edited.code, edited.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
      expect(origins(edited)).toMatchObject({ recompile: 'ran', validate: 'ran' });
      expect(remote.refused).toBeGreaterThan(0);
      expect(remote.entries).toEqual(entries);
    } finally {
      third.remove();
    }
  });

  it('says so of a wrong token, and nothing is run or taken for a result', async () => {
    const third = await cloneOf(first);
    try {
      const judged = await nx(third, ['run', 'outputs-two_outputs:validate'], withToken('of-nobody'));
      expect([judged.code === 0, judged.text]).toEqual([false, expect.stringMatching(/remote cache.*401/)]);
      expect(judged.text).not.toMatch(/Result:/);
      expect(existsSync(third.path(project, 'report.json'))).toBe(false);
    } finally {
      third.remove();
    }
  });

  it('replays what it was given', async () => {
    const replayed = await nx(second, ['run', 'outputs-two_outputs:replay']);
    expect([replayed.code, replayed.text]).toEqual([0, expect.stringMatching(/Result: RAN/)]);
  });

  it('answers no edit: that is compiled and judged where it was made', async () => {
    const variant = `${project}/kernel_variant.hip`;
    const text = second.read(variant);
    second.edit(variant, (before) => before.replace('in[i] * 3', 'in[i] * 4'));
    const judged = await nx(second, ['run', 'outputs-two_outputs:validate']);
    second.write(variant, text);
    expect([judged.code === 0, judged.text]).toEqual([false, expect.stringMatching(/Result: FAIL/)]);
    expect(origins(judged)).toMatchObject({ recompile: 'ran', validate: 'ran' });
  });

  describe('in the recipe for CI, whose lines run as they are', () => {
    const recipe = new Recipe('docs/recipes/github-actions.yml');
    const server = (): string => remote.environment['NX_SELF_HOSTED_REMOTE_CACHE_SERVER'] ?? '';
    let proposed: Workspace;
    let base: string;
    beforeAll(async () => {
      proposed = await cloneOf(first);
      proposed.write('.gitignore', `${proposed.read('.gitignore')}listed\n`);
      await proposed.commitAll();
    });
    beforeEach(async () => (base = (await proposed.git('rev-parse', 'HEAD')).stdout.trim()));
    afterAll(() => proposed.remove());

    async function running(job: string, kernel = ''): Promise<Outcome[]> {
      const { lines, env } = recipe.job(job, {
        'github.event.pull_request.base.sha || github.event.before': base,
        'matrix.kernel': kernel,
        'vars.CACHE_SERVER': server(),
        "github.event_name == 'push' && secrets.CACHE_WRITE_TOKEN || secrets.CACHE_READ_TOKEN": tokens.read,
      });
      expect(lines.length).toBeGreaterThan(0);
      const outcomes: Outcome[] = [];
      for (const line of lines) {
        const settings = proposed.settings({ env: { ...env, GITHUB_OUTPUT: proposed.path('listed') } });
        outcomes.push(await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', line], settings));
      }
      return outcomes;
    }

    async function affected(): Promise<unknown> {
      proposed.write('listed', '');
      expect((await running('affected')).map(({ code, stderr }) => [code, stderr])).toEqual([[0, expect.any(String)]]);
      return JSON.parse(/^kernels=(.*)$/m.exec(proposed.read('listed'))?.[1] ?? '');
    }

    it('a change of no kernel has no job', async () => {
      proposed.write('README.md', 'words');
      await proposed.commitAll();
      expect(await affected()).toEqual([]);
    });

    it('a right edit passes in the job of its kernel, a wrong one fails there', async () => {
      for (const [from, to, verdict] of [
        ['in[i] * 3', '3 * in[i]', 'PASS'],
        ['3 * in[i]', '4 * in[i]', 'FAIL'],
      ] as const) {
        proposed.edit(`${project}/kernel_variant.hip`, (before) => before.replace(from, to));
        await proposed.commitAll();
        expect(await affected()).toEqual(['outputs-two_outputs']);
        const [judged] = await running('validate', 'outputs-two_outputs');
        expect([judged?.code === 0, judged?.text]).toEqual([
          verdict === 'PASS',
          expect.stringContaining(`Result: ${verdict}`),
        ]);
      }
    });
  });

  it('brings no store: a capture that keeps its chunks there is taken again where it is to be replayed', async () => {
    const large = { KERNLOOP_CAPTURE_INLINE_LIMIT_BYTES: '1' };
    const captured = await nx(first, ['run', 'outputs-two_outputs:validate'], large);
    expect([captured.code, captured.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    expect(existsSync(first.path(project, 'capture/chunks.pack'))).toBe(false);
    const third = await cloneOf(first);
    try {
      const judged = await nx(third, ['run', 'outputs-two_outputs:validate'], large);
      expect([judged.code, judged.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
      expect(origins(judged)).toMatchObject({ 'capture-two_outputs': 'remote cache', validate: 'remote cache' });
      third.edit(`${project}/kernel_variant.hip`, (before) => before.replace('in[i] * 3', 'in[i] * 4'));
      const edited = await nx(third, ['run', 'outputs-two_outputs:validate'], large);
      expect(origins(edited)).toMatchObject({ 'capture-two_outputs': 'ran', validate: 'ran' });
      expect([edited.code === 0, edited.text]).toEqual([false, expect.stringMatching(/Result: FAIL/)]);
    } finally {
      third.remove();
    }
  });
});
