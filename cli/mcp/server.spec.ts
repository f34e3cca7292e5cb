import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { stageNames, stages } from '../../lib/stages/registry';
import { KernloopError } from '../../lib/support/error';
import { formatCount } from '../../lib/support/report';
import { packageRoot } from '../../lib/support/version';
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
const nothing: RunVerb = () => Promise.resolve({ exitCode: 0, result: { exit_code: 0, checks: [] } });

async function connect(
  run: RunVerb = nothing,
  more: { outside?: boolean; maxBytes?: number; loop?: boolean } = {},
): Promise<void> {
  let now = 0;
  const server = createServer({
    bounds: { workspace: workspace.root, outside: more.outside ?? false },
    tools: more.loop === true ? undefined : stageNames,
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
  const dozen =
    'kernels doctor profile declare extract recompile validate replay tune trace-run trace-analyze report'.split(' ');

  it('are a dozen unless others are asked for, and take less than 20,000 bytes of the context of an agent', async () => {
    await connect(nothing, { loop: true });
    const list = await client.listTools();
    expect(list.tools.map(({ name }) => name)).toEqual(dozen);
    const bytes = Buffer.byteLength(JSON.stringify(list));
    expect(bytes).toBeLessThan(20_000);
    const page = readFileSync(join(packageRoot, 'docs', 'mcp.md'), 'utf8');
    expect(page).toContain(`the ${list.tools.length} that make a kernel faster, in ${formatCount(bytes)} bytes`);
    for (const { name, title, description, inputSchema, outputSchema } of list.tools) {
      expect([name, title, description]).toEqual([name, expect.any(String), expect.stringMatching(/\bUse it /)]);
      const described = Object.values(inputSchema.properties ?? {}).map((option) => 'description' in option);
      expect([name, described.length > 0, described]).toEqual([name, true, described.map(() => true)]);
      expect([name, outputSchema?.properties]).toEqual([
        name,
        expect.objectContaining({ result: expect.objectContaining({ additionalProperties: true }) as unknown }),
      ]);
    }
    expect(JSON.stringify(list.tools)).not.toMatch(/--|kernloop [a-z]/);
  });

  it('take options and give fields that the list of the dozen does not tell, and refuse fields of another type', async () => {
    const checks = (state: unknown) => ({
      exit_code: 0,
      checks: [{ name: 'x', state, detail: 'd', hint: 'h', more: 1 }],
    });
    let state: unknown = 'ok';
    await connect(() => Promise.resolve({ exitCode: 0, result: checks(state) }), { loop: true });
    await client.listTools();
    expect((await call('doctor')).structuredContent).toMatchObject({ outcome: 'done', result: checks('ok') });
    state = 7;
    await expect(call('doctor')).rejects.toThrow(/state/);
    const args = { verbose: true };
    await client.request({ method: 'tools/call', params: { name: 'validate', arguments: args } }, anything);
    expect(called.at(-1)).toEqual({ verb: 'validate', words: ['--verbose'] });
  });

  it('are complete as a resource, and those that are not offered are named as such', async () => {
    await connect(nothing, { loop: true });
    await expect(call('capture')).rejects.toThrow(/not offered here: `kernloop mcp --tools all`/);
    for (const name of ['validate', 'capture'] as const) {
      const [page] = (await client.readResource({ uri: `kernloop-tool://${name}` })).contents;
      const tool = JSON.parse(page && 'text' in page ? page.text : '') as { inputSchema: { properties: object } };
      expect(Object.keys(tool.inputSchema.properties)).toEqual(Object.keys(stages[name].options.shape));
    }
    await expect(client.readResource({ uri: 'kernloop-tool://captur' })).rejects.toMatchObject({ code: -32002 });
  });

  it('are all stages if they are asked for, each with its options, its result, and what it does to files', async () => {
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
      if (verb === 'doctor') return Promise.resolve({ exitCode: 5, result: { exit_code: 5, checks: [] } });
      onEvent({ event: 'output', text: 'ld: no such file\n' });
      throw new KernloopError('APP_BUILD_FAILED', 'make failed', 'mend it');
    });
    expect(await call('doctor')).toMatchObject({
      content: [{ text: 'Result: FAIL\nexit code 5 (environment)' }],
      structuredContent: { exit_code: 5, outcome: 'environment', result: { exit_code: 5 } },
    });
    const failed = await call('profile');
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'APP_BUILD_FAILED', hint: 'mend it' } },
    });
    expect(failed.content).toMatchObject([{ text: expect.stringContaining('ld: no such file') as string }]);
    await expect(call('profil')).rejects.toThrow(/did you mean profile/);
  });

  it('say pass of a verdict alone: of what judges nothing the outcome is done, and no line speaks of passing', async () => {
    await connect((_, __, onEvent) => {
      onEvent({ event: 'result', text: 'a table' });
      return Promise.resolve({ exitCode: 0, result: { exit_code: 0, checks: [] } });
    });
    const request = (name: string) =>
      client.request({ method: 'tools/call', params: { name, arguments: {} } }, anything) as Promise<CallToolResult>;
    for (const name of ['profile', 'extract', 'replay', 'doctor'])
      expect(await request(name)).toMatchObject({
        content: [{ text: 'a table' }],
        structuredContent: { exit_code: 0, outcome: 'done' },
      });
    for (const name of ['validate', 'tune', 'trace-run'])
      expect(await request(name)).toMatchObject({
        content: [{ text: 'a table\nexit code 0 (pass)' }],
        structuredContent: { outcome: 'pass' },
      });
  });

  it('speak of tools and options, in errors, progress, messages and hints of results, but not in output of programs', async () => {
    await connect((verb, _, onEvent) => {
      onEvent({ event: 'info', text: 'Next, edit it, then: kernloop validate kernels/app/saxpy' });
      if (verb === 'doctor') {
        const checks = [
          { name: '--atol', state: 'missing', detail: '--atol', hint: 'run `kernloop doctor --app DIR`' },
        ];
        return Promise.resolve({ exitCode: 5, result: { exit_code: 5, checks } });
      }
      onEvent({ event: 'output', text: 'cc: bad flag --output\n' });
      // The verb prints its error, too.
      const printed =
        'error: --atol goes with a type [USAGE]\n  → give it with `--dtype f32`, or run `kernloop recompile`\n';
      onEvent({ event: 'output', text: printed });
      throw new KernloopError(
        'USAGE',
        '--atol goes with a type',
        'give it with `--dtype f32`, or run `kernloop recompile`',
      );
    });
    const told: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): unknown => told.push(message);
    const failed = (await client.callTool({ name: 'profile', arguments: {} }, undefined, {
      onprogress,
    })) as CallToolResult;
    const hint = 'give it with option `dtype: ["f32"]`, or run tool `recompile`';
    expect(failed.structuredContent).toMatchObject({ error: { message: 'option `atol` goes with a type', hint } });
    const next = 'Next, edit it, then: tool `validate` with `reproducer: kernels/app/saxpy`';
    expect(told).toEqual([next]);
    expect(failed.content).toEqual([
      {
        type: 'text',
        text: `error: option \`atol\` goes with a type [USAGE]\n→ ${hint}\n${next}\ncc: bad flag --output`,
      },
    ]);
    expect((await call('doctor')).structuredContent).toMatchObject({
      result: { checks: [{ name: '--atol', detail: '--atol', hint: 'run tool `doctor` with `app: DIR`' }] },
    });
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
      return Promise.resolve({ exitCode: 0, result: { exit_code: 0, checks: [] } });
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
    await connect(() => Promise.resolve({ exitCode: 0, result: { exit_code: 0, checks } }), { maxBytes: 4096 });
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
    expect(JSON.parse(text)).toEqual({ exit_code: 0, checks });
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

describe('the prompts of kernloop mcp', () => {
  const textOf = async (name: string, args: Record<string, string> = {}): Promise<string> => {
    const { messages } = await client.getPrompt({ name, arguments: args });
    const [message] = messages;
    return message?.content.type === 'text' ? message.content.text : '';
  };

  it('are those for a faster kernel and for a failure, and name tools that are offered and no other', async () => {
    await connect(nothing, { loop: true });
    const { tools } = await client.listTools();
    const offered = new Set(tools.map(({ name }) => name));
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ title }) => title)).toEqual(['Make this kernel faster', 'Explain this failure']);
    const texts = [
      await textOf('make-kernel-faster', { kernel: 'saxpy', app: 'apps/x' }),
      await textOf('explain-failure', { reproducer: 'kernels/app/saxpy', error: 'VARIANT_STALE' }),
    ];
    expect(texts[0]).toContain('the kernel saxpy of the app apps/x');
    expect(texts[1]).toMatch(/kernels\/app\/saxpy fails: VARIANT_STALE/);
    const named = texts.flatMap((text) => [...text.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name));
    const stagesNamed = named.filter((name) => (stageNames as string[]).includes(name));
    expect(stagesNamed.length).toBeGreaterThan(8);
    expect(stagesNamed.filter((name) => !offered.has(name))).toEqual([]);
    expect(await textOf('make-kernel-faster')).toContain('the costliest kernel');
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['explain-failur', {}, /no prompt explain-failur/],
    ['explain-failure', {}, /needs the argument reproducer/],
    ['explain-failure', { reproducer: 'x', app: 'y' }, /no argument app/],
  ])('refuse %s %j', async (name, args, message) => {
    await connect();
    await expect(client.getPrompt({ name, arguments: args })).rejects.toThrow(message);
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
