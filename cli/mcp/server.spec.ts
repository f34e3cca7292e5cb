import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { stageNames, stages } from '../../lib/stages/registry';
import { KernloopError } from '../../lib/support/error';
import { TestWorkspace, writeReproducer } from '../../lib/testing/workspace';
import type { RunVerb } from './run-verb';
import { protocolOutput } from './serve';
import { createServer } from './server';

jest.setTimeout(120_000);

/** Accepts any result, for tests that do not examine it. */
const anything = z.looseObject({});

let workspace: TestWorkspace;
let client: Client;
let called: { verb: string; words: readonly string[] }[];

/** The verb in tests that do not provide one. */
const nothing: RunVerb = () => Promise.resolve({ exitCode: 0, result: { exitCode: 0, checks: [] } });

async function connect(run: RunVerb = nothing, more: { outside?: boolean; maxBytes?: number } = {}): Promise<void> {
  let now = 0;
  const server = createServer({
    bounds: { workspace: workspace.root, outside: more.outside ?? false },
    tools: stageNames,
    maxBytes: more.maxBytes ?? 64 * 1024,
    run: (verb, words, onEvent, signal) => {
      called.push({ verb, words });
      return run(verb, words, onEvent, signal);
    },
    now: () => (now += 1000),
  });
  client = new Client({ name: 'spec', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
}

const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: args })) as CallToolResult;

beforeEach(() => {
  workspace = new TestWorkspace();
  called = [];
});
afterEach(async () => {
  await client.close();
  workspace.dispose();
});

describe('the tools of kernloop mcp', () => {
  it('are the stages, each with its options, its result, and what it does to files', async () => {
    await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(stageNames);
    const of = (name: string) => tools.find((tool) => tool.name === name);
    expect(of('validate')).toMatchObject({
      description: expect.stringContaining(stages.validate.summary) as string,
      inputSchema: { type: 'object', properties: { rtol: { type: 'number', minimum: 0 } } },
      outputSchema: { type: 'object', required: ['exit_code', 'outcome'], properties: { result: { type: 'object' } } },
      annotations: { readOnlyHint: false, destructiveHint: false },
    });
    expect(of('doctor')?.annotations).toMatchObject({ readOnlyHint: true });
    // Each of these may overwrite a user's files.
    for (const name of ['extract', 'adopt', 'store', 'tune', 'pull'])
      expect([name, of(name)?.annotations?.destructiveHint]).toEqual([name, true]);
    expect(of('push')?.annotations?.openWorldHint).toBe(true);
  });

  it('start their verb with the same options', async () => {
    await connect(() => Promise.resolve({ exitCode: 0, result: {} }));
    await client.request(
      { method: 'tools/call', params: { name: 'trace-read', arguments: { trace: 'app' } } },
      anything,
    );
    const set = ['BLOCK=64,128', 'X=1'];
    const args = { reproducer: 'kernels/app/saxpy', set };
    await client.request({ method: 'tools/call', params: { name: 'tune', arguments: args } }, anything);
    await client.request(
      { method: 'tools/call', params: { name: 'replay', arguments: { compare: true, guard: false, iterations: 3 } } },
      anything,
    );
    expect(called).toEqual([
      { verb: 'trace-read', words: ['--trace=app'] },
      { verb: 'tune', words: ['--reproducer=kernels/app/saxpy', '--set=["BLOCK=64,128","X=1"]'] },
      { verb: 'replay', words: ['--compare', '--no-guard', '--iterations=3'] },
    ]);
  });

  it.each<[string, string, Record<string, unknown>, string, RegExp]>([
    ['an unknown option', 'profile', { ap: 'x' }, 'USAGE', /did you mean "app"/],
    ['a value of the wrong type', 'replay', { iterations: 'many' }, 'USAGE', /iterations/],
    ['an empty list', 'tune', { set: [] }, 'USAGE', /set/],
    ['an absolute path', 'profile', { app: '/etc' }, 'PATH_OUTSIDE', /"\/etc"/],
    ['a path that climbs out', 'profile', { app: 'app/../../x' }, 'PATH_OUTSIDE', /x/],
    ['a path through a link', 'profile', { app: 'link/ssh' }, 'PATH_OUTSIDE', /link/],
    ['a file that a dangling link leads out to', 'profile', { output: 'dangling' }, 'PATH_OUTSIDE', /dangling/],
    ['a file below a dangling link', 'profile', { output: 'links/dangling/file' }, 'PATH_OUTSIDE', /dangling/],
    ['a link that leads to itself', 'profile', { output: 'loop' }, 'USAGE', /loop/],
    ['a file that is to be written through a link', 'profile', { output: 'link/new/file' }, 'PATH_OUTSIDE', /new/],
    ['text that would be a path', 'validate', { variant: '/etc/passwd' }, 'PATH_OUTSIDE', /variant/],
    ['the same in a list', 'tune', { set: ['a', '/etc/x'] }, 'PATH_OUTSIDE', /set/],
    ['such text through a link of the project', 'validate', { variant: 'link/x.hsaco' }, 'PATH_OUTSIDE', /variant/],
    ['a path that climbs out behind a link', 'profile', { output: 'link/../new' }, 'PATH_OUTSIDE', /new/],
    ['a path that climbs out unless links are followed', 'profile', { app: 'inner/../../x' }, 'PATH_OUTSIDE', /inner/],
    ['a link before a weight', 'pgo-merge', { input: ['app,2', 'link,3'] }, 'PATH_OUTSIDE', /link,3/],
    [
      'a probe of the working folder',
      'trace-run',
      { reproducer: 'app', probe: 'link/passwd' },
      'PATH_OUTSIDE',
      /probe/,
    ],
    ['a NUL', 'profile', { app: 'a\0b' }, 'USAGE', /NUL/],
  ])('refuse %s, and start nothing', async (_, name, args, code, message) => {
    symlinkSync('/etc', workspace.path('link'));
    mkdirSync(workspace.path('links'));
    symlinkSync('/elsewhere/new', workspace.path('dangling'));
    symlinkSync('../../../../../../elsewhere', workspace.path('links/dangling'));
    symlinkSync('loop', workspace.path('loop'));
    mkdirSync(workspace.path('app/deep/er'), { recursive: true });
    symlinkSync('app/deep/er', workspace.path('inner'));
    await connect();
    const { isError, structuredContent } = await call(name, args);
    expect([isError, structuredContent]).toEqual([
      true,
      {
        exit_code: 2,
        outcome: 'usage',
        error: { code, message: expect.stringMatching(message) as string, hint: expect.stringMatching(/./) as string },
      },
    ]);
    expect(called).toEqual([]);
  });

  it.each(['kernels/app/saxpy', 'kernels/app/saxpy/capture'])(
    'refuse a variant that a link of the reproducer leads out to, for the reproducer %s',
    async (reproducer) => {
      symlinkSync('/etc', `${writeReproducer(workspace, {})}/link`);
      await connect();
      const { structuredContent } = await call('validate', { reproducer, variant: 'link/passwd' });
      expect([structuredContent?.['error'], called]).toMatchObject([{ code: 'PATH_OUTSIDE' }, []]);
    },
  );

  it('take paths of the workspace, however they are written, and others where that was asked for', async () => {
    writeReproducer(workspace, {});
    await connect();
    for (const app of ['app', workspace.app, 'app/../app', 'not-there-yet'])
      expect([app, (await call('doctor', { app })).isError]).toEqual([app, undefined]);
    // These paths are relative to the reproducer.
    const args = { reproducer: 'kernels/app/saxpy', variant: '../../../app/mine.hsaco', capture: 'captures/3' };
    await client.request({ method: 'tools/call', params: { name: 'validate', arguments: args } }, anything);
    await client.close();
    await connect(nothing, { outside: true });
    expect((await call('doctor', { app: '/etc' })).isError).toBeUndefined();
    expect(called).toHaveLength(6);
  });

  it('call a bad verdict a result, and what could not be done an error with its code and hint', async () => {
    await connect((verb, _, onEvent) => {
      onEvent({ event: 'result', text: 'Result: FAIL' });
      if (verb === 'doctor') return Promise.resolve({ exitCode: 5, result: { exitCode: 5, checks: [] } });
      onEvent({ event: 'output', text: 'ld: no such file\n' });
      throw new KernloopError('APP_BUILD_FAILED', 'make failed', 'mend it');
    });
    expect(await call('doctor')).toMatchObject({
      content: [{ text: 'Result: FAIL\nexit code 5 (environment)' }],
      structuredContent: { exit_code: 5, outcome: 'environment', result: { exitCode: 5 } },
    });
    const failed = await call('profile');
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'APP_BUILD_FAILED', hint: 'mend it' } },
    });
    expect(failed.content).toMatchObject([{ text: expect.stringContaining('ld: no such file') as string }]);
    await expect(call('profil')).rejects.toThrow(/did you mean profile/);
  });

  it('tell their progress in numbers that grow, with bytes, rate and rest', async () => {
    await connect((_, __, onEvent) => {
      onEvent({ event: 'info', text: 'building' });
      onEvent({ event: 'output', text: 'cc -c a.c\n' });
      const unit = 'bytes';
      for (const done of [10, 50, 20, 100])
        onEvent({ event: 'progress', progress: { what: 'captured', done: done * 1024, total: 100 * 1024, unit } });
      onEvent({ event: 'progress', progress: null });
      onEvent({ event: 'warning', text: 'slow' });
      return Promise.resolve({ exitCode: 0, result: { exitCode: 0, checks: [] } });
    });
    const told: { progress: number; message?: string | undefined }[] = [];
    const onprogress = ({ progress, message }: (typeof told)[number]): unknown => told.push({ progress, message });
    await client.callTool({ name: 'doctor', arguments: {} }, undefined, { onprogress });
    expect(told.map(({ message }) => message)).toEqual([
      'building',
      expect.stringMatching(/^captured 10\.0 KiB of 100\.0 KiB \(10 %\)/),
      expect.stringMatching(/^captured 50\.0 KiB of 100\.0 KiB \(50 %\), .*KiB\/s, .* left$/),
      expect.stringMatching(/^captured 100\.0 KiB/),
      'slow',
    ]);
    const numbers = told.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it('are told when the client cancels, and answer nothing', async () => {
    const controller = new AbortController();
    let stopped = false;
    await connect((_, __, ___, signal) => {
      setImmediate(() => controller.abort());
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          reject(new KernloopError('INTERRUPTED', 'cancelled', 'again'));
        });
      });
    });
    await expect(
      client.callTool({ name: 'doctor', arguments: {} }, undefined, { signal: controller.signal }),
    ).rejects.toThrow();
    // The next answer arrives after the notification.
    await client.ping();
    expect(stopped).toBe(true);
  });

  it('give an excerpt of a result that is too large, and a resource that is the whole', async () => {
    const checks = Array.from({ length: 3000 }, (_, index) => ({
      name: `é${index}`,
      ok: true,
      detail: 'ü'.repeat(300),
      hint: '',
    }));
    await connect(() => Promise.resolve({ exitCode: 0, result: { exitCode: 0, checks } }), { maxBytes: 4096 });
    const result = await call('doctor');
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(2 * 4096);
    const { excerpt, rest } = result.structuredContent as {
      excerpt: { checks: unknown[] };
      rest: { uri: string; bytes: number };
    };
    expect(excerpt.checks.at(-1)).toBe('… 2995 more');
    expect(result.content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri: rest.uri }));
    let text = '';
    for (let uri: string | undefined = rest.uri; uri !== undefined;) {
      const [page] = (await client.readResource({ uri })).contents;
      const part = page && 'text' in page ? page.text : '';
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(4096);
      text += part;
      uri = page?._meta?.['next'] as string | undefined;
    }
    expect(JSON.parse(text)).toEqual({ exitCode: 0, checks });
    expect(Buffer.byteLength(text)).toBe(rest.bytes);
  });
});

describe('stdout of kernloop mcp', () => {
  it("is the protocol's alone: what anybody else writes there goes to stderr", async () => {
    await connect();
    const said: string[] = [];
    const saying = (stream: string) => (text: unknown, done?: unknown) => {
      said.push(`${stream}: ${String(text)}`);
      if (typeof done === 'function') (done as () => void)();
      return true;
    };
    jest.spyOn(process.stdout, 'write').mockImplementation(saying('stdout'));
    jest.spyOn(process.stderr, 'write').mockImplementation(saying('stderr'));
    const before = Object.getOwnPropertyDescriptor(process.stdout, 'write');
    try {
      const protocol = protocolOutput();
      process.stdout.write('a stray line\n');
      await new Promise((resolve) => protocol.write('{"jsonrpc":"2.0"}\n', resolve));
      expect(said).toEqual(['stderr: a stray line\n', 'stdout: {"jsonrpc":"2.0"}\n']);
    } finally {
      if (before) Object.defineProperty(process.stdout, 'write', before);
      jest.restoreAllMocks();
    }
  });
});

describe('the resources of kernloop mcp', () => {
  const file = (path: string): string => `kernloop-file:///${path}`;
  const read = async (uri: string): Promise<string> => {
    const [page] = (await client.readResource({ uri })).contents;
    return page && 'text' in page ? page.text : '';
  };

  it('are the skill page and the files of apps and reproducers, not what lies beside them', async () => {
    writeReproducer(workspace, {});
    workspace.write('kernels/app/saxpy/kernel_variant.hip', 'int é;\n');
    workspace.write('kernels/app/saxpy/a b#?.txt', 'odd');
    workspace.write('kernels/app/saxpy/.env', 'SECRET');
    workspace.write('app/.env', 'SECRET');
    workspace.write('secret.json', {});
    await connect();
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining([
        'kernloop-skill://kernloop',
        file('app/kernloop.json'),
        file('kernels/app/saxpy/kernel.json'),
        file('kernels/app/saxpy/kernel_variant.hip'),
      ]),
    );
    expect(uris.filter((uri) => /env|secret|program/.test(uri))).toEqual([]);
    for (const uri of uris) expect([uri, (await read(uri)).length > 0]).toEqual([uri, true]);
    expect(await read(file('kernels/app/saxpy/kernel_variant.hip'))).toBe('int é;\n');
    expect(await read(file('kernels/app/saxpy/a%20b%23%3F.txt'))).toBe('odd');
  });

  it.each([
    'secret.json',
    'kernels/app/saxpy/.env',
    'kernels/app/saxpy/../../../secret.json',
    'kernels/app/saxpy/%2e%2e/%2e%2e/%2e%2e/secret.json',
    'kernels/app/saxpy/link/passwd',
    'kernels/app/saxpy/out.json',
    'kernels/app/saxpy/notes.txt',
    'kernels/app/saxpy',
    'kernels/app/saxpy/binary.dat',
    'kernels/app/saxpy/kernel.json%00',
    'kernels/app/saxpy/%zz',
    '/etc/passwd',
    'app/program',
  ])('%s is refused', async (path) => {
    writeReproducer(workspace, {});
    workspace.write('secret.json', {});
    workspace.write('kernels/app/saxpy/.env', 'SECRET');
    writeFileSync(workspace.path('kernels/app/saxpy/binary.dat'), Buffer.from([1, 0, 2]));
    symlinkSync('/etc', workspace.path('kernels/app/saxpy/link'));
    symlinkSync('/etc/passwd', workspace.path('kernels/app/saxpy/out.json'));
    symlinkSync('../../../secret.json', workspace.path('kernels/app/saxpy/notes.txt'));
    await connect();
    await expect(read(file(path))).rejects.toMatchObject({ code: -32002 });
  });

  it('come page by page, and a file never more than a page of it at once', async () => {
    writeReproducer(workspace, {});
    for (let index = 0; index < 230; index += 1) workspace.write(`kernels/app/saxpy/notes/${index}.txt`, 'x');
    mkdirSync(workspace.path('kernels/app/empty'));
    workspace.write('kernels/app/saxpy/large.txt', 'ß'.repeat(5000));
    writeFileSync(workspace.path('kernels/app/saxpy/odd.txt'), Buffer.alloc(9000, 0x9f));
    await connect(nothing, { maxBytes: 4097 });
    const first = await client.listResources();
    const second = await client.listResources({ cursor: first.nextCursor ?? '' });
    expect([first.resources.length, second.nextCursor]).toEqual([200, undefined]);
    await expect(client.listResources({ cursor: 'x' })).rejects.toThrow(/no cursor/);
    const large = file('kernels/app/saxpy/large.txt');
    expect(await read(large)).toBe('ß'.repeat(2048));
    expect(await read(`${large}?offset=4096`)).toBe('ß'.repeat(2048));
    expect(await read(`${large}?offset=8192`)).toBe('ß'.repeat(904));
    expect(await read(`${large}?offset=99999`)).toBe('');
    // Content that is no text has pages, too.
    expect(await read(file('kernels/app/saxpy/odd.txt'))).toBe('\ufffd'.repeat(4094));
  });
});
