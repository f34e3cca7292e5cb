import Ajv from 'ajv';
import { connect } from 'node:net';
import { chmodSync, readdirSync } from 'node:fs';
import { reproducerForEachTest } from '../../testing/workspace';
import { writeTunable } from '../../tune/testing/fake-candidates';
import { isSealedBy } from '../seal';
import { openApiDocument } from './openapi';
import { ask, candidateOf, Judges, sourceOf, type Answer } from './testing/judges';
import { tokensIn } from './tokens';

const made = reproducerForEachTest();
let judges: Judges;
beforeEach(() => {
  writeTunable(made.workspace);
  judges = new Judges(made.workspace, made.reproducer);
});
afterEach(() => judges.end());

const alice = 'token-of-alice-0123456789';
const bob = 'token-of-bob-0123456789';
function tokens(lines = `alice ${alice}\nbob ${bob}\n`) {
  const file = made.workspace.write('tokens', lines);
  chmodSync(file, 0o600);
  return tokensIn(file);
}

const request = (method: string, path: string, given: Parameters<typeof ask>[3] = {}): Promise<Answer> =>
  ask(judges.socket, method, path, given);
const submit = (body: unknown, token?: string, headers: Record<string, string> = {}): Promise<Answer> =>
  request('POST', '/v1/candidates', { body, headers, ...(token ? { token } : {}) });
const verdictOn = async (id: string, token?: string): Promise<Answer> =>
  request('GET', `/v1/candidates/${id}/verdict?waitSeconds=60`, token ? { token } : {});
const linesOf = ({ text }: Answer): { event: string; id?: string }[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string });

describe('the service of the judge', () => {
  it('gives a signed verdict on each of a list, of lines, and of one that is sent alone', async () => {
    const judge = await judges.judge();
    await judges.serve(judge);
    const alone = await submit(candidateOf(8, { id: 'alone', label: 'eight' }));
    expect([alone.status, alone.body.candidates]).toEqual([
      200,
      [{ id: 'alone', kernel: 'saxpy', phase: expect.any(String) as string, sealed: null }],
    ]);
    const listed = await submit([candidateOf(7, { id: 'wrong' }), { files: 3 }, candidateOf(13, { id: 'broken' })]);
    expect(listed.body.candidates).toMatchObject([
      { id: 'wrong' },
      { error: { code: 'CANDIDATE_REFUSED', message: expect.stringContaining('files') as string } },
      { id: 'broken' },
    ]);
    const lines = `${JSON.stringify(candidateOf(2, { id: 'two' }))}\n\n{"id": "no json\n${JSON.stringify(candidateOf(8, { id: '../x' }))}\n`;
    const sent = await submit(lines, undefined, { 'content-type': 'application/x-ndjson' });
    expect(sent.body.candidates).toMatchObject([
      { id: 'two' },
      { error: { code: 'CANDIDATE_REFUSED' } },
      { id: '../x', error: { code: 'CANDIDATE_REFUSED' } },
    ]);
    const all = ['alone', 'wrong', 'broken', 'two'];
    const verdicts = await Promise.all(all.map((id) => verdictOn(id)));
    expect(verdicts.map(({ status, body }) => [status, body.judgement.verdict, body.judgement.label])).toEqual([
      [200, 'pass', 'eight'],
      [200, 'fail', null],
      [200, 'not-compiled', null],
      [200, 'pass', null],
    ]);
    expect(verdicts.map(({ body }) => isSealedBy(body, judge.publicKey))).toEqual([true, true, true, true]);
    const kernels = await request('GET', '/v1/kernels');
    expect(kernels.body.kernels).toMatchObject([{ name: 'saxpy', files: ['deps/saxpy.hip', 'kernel_variant.hip'] }]);
    const status = await request('GET', '/v1/status');
    expect(status.body).toMatchObject({ queued: 0, working: 0, sandboxed: false, own: { candidates: 0 } });
  });

  it('answers with the state while there is no verdict, and cancels', async () => {
    await judges.serve(await judges.judge());
    await submit([candidateOf(99, { id: 'slow' }), candidateOf(2, { id: 'next' })]);
    const early = await request('GET', '/v1/candidates/slow/verdict?waitSeconds=0');
    expect([early.status, early.body]).toEqual([
      202,
      { id: 'slow', kernel: 'saxpy', phase: 'compiling', sealed: null },
    ]);
    const queued = await request('DELETE', '/v1/candidates/next');
    expect(queued.body).toMatchObject({ phase: 'done', sealed: { judgement: { verdict: 'cancelled' } } });
    await request('DELETE', '/v1/candidates/slow');
    expect((await verdictOn('slow')).body.judgement.verdict).toBe('cancelled');
  });

  it('streams phases and verdicts, of named candidates from their state on to the end', async () => {
    await judges.serve(await judges.judge());
    await submit(candidateOf(2, { id: 'before' }));
    await verdictOn('before');
    await submit([candidateOf(99, { id: 'slow' }), candidateOf(8, { id: 'other' })]);
    const stream = request('GET', '/v1/events?ids=slow,before');
    setTimeout(() => judges.release(), 50);
    const lines = linesOf(await stream);
    expect(lines.map(({ event, id }) => [event, id])).toEqual([
      ['phase', 'slow'],
      ['verdict', 'before'],
      ['phase', 'slow'],
      ['verdict', 'slow'],
      ['end', undefined],
    ]);
  });

  it('shows, cancels and streams to a group its own candidates alone', async () => {
    await judges.serve(await judges.judge(), tokens());
    const everything = request('GET', '/v1/events', { token: bob });
    await submit(candidateOf(2, { id: 'mine' }), alice);
    expect((await verdictOn('mine', alice)).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v1/candidates/mine'],
      ['GET', '/v1/candidates/mine/verdict'],
      ['DELETE', '/v1/candidates/mine'],
      ['GET', '/v1/events?ids=mine'],
    ] as const) {
      const { status, body } = await request(method, path, { token: bob });
      const unknown = await request(method, path.replace('mine', 'none'), { token: bob });
      // No difference tells that there is one.
      expect([status, body.error.code, body.error.message.replace('mine', 'none')]).toEqual([
        404,
        'CANDIDATE_UNKNOWN',
        unknown.body.error.message,
      ]);
    }
    // The same candidate of another group would be the way to its verdict.
    expect([(await submit(candidateOf(2, { id: 'mine' }), bob)).status]).toEqual([409]);
    await submit(candidateOf(8, { id: 'bobs' }), bob);
    await verdictOn('bobs', bob);
    await judges.end();
    expect(new Set(linesOf(await everything).flatMap(({ id }) => id ?? []))).toEqual(new Set(['bobs']));
  });

  it('knows after a restart whose a candidate is, and what it was: an id is never of two', async () => {
    const first = await judges.judge();
    const server = await judges.serve(first, tokens());
    await submit(candidateOf(2, { id: 'one' }), alice);
    await verdictOn('one', alice);
    await server.close();
    await first.close();
    await judges.serve(await judges.judge(), tokens());
    expect((await verdictOn('one', bob)).status).toBe(404);
    expect((await verdictOn('one', alice)).body.judgement.verdict).toBe('pass');
    const again = await submit(candidateOf(2, { id: 'one' }), alice);
    expect(again.body.candidates).toMatchObject([{ phase: 'done', sealed: { judgement: { id: 'one' } } }]);
    const other = await submit(candidateOf(7, { id: 'one' }), alice);
    expect([other.status, other.body.error.code]).toEqual([409, 'CANDIDATE_ID_TAKEN']);
  });

  it('judges one candidate of a group before 40 of another, whose priority does not help', async () => {
    await judges.serve(await judges.judge(), tokens(`alice ${alice} -5\nbob ${bob} -5\n`));
    await submit(candidateOf(99, { priority: -5 }), alice);
    await submit(
      Array.from({ length: 40 }, (_, index) => candidateOf(2, { priority: -5 }, index)),
      alice,
    );
    const above = await submit(candidateOf(2, { priority: 100 }), alice);
    expect([above.status, above.body.error.message]).toEqual([400, expect.stringContaining('above -5')]);
    await submit(candidateOf(8, { id: 'bobs', priority: -5 }), bob);
    judges.release();
    await verdictOn('bobs', bob);
    expect(judges.compiled.slice(0, 3).findIndex((text) => text.startsWith(sourceOf(8).slice(0, 25)))).toBe(1);
  });

  it('delays a modest group by one candidate of a greedy one, however many of these wait', async () => {
    const judge = await judges.judge();
    await judges.serve(judge, tokens());
    const late: string[] = [];
    const allSent = new Promise<void>((resolve) => {
      judges.onCompile = (before) => {
        if ([5, 6, 12, 30].includes(before)) late.push(judge.submit(candidateOf(8, {}, before), 'bob').id);
        if (late.length === 4) resolve();
      };
    });
    await submit(candidateOf(99), alice);
    const greedy = Array.from({ length: 100 }, (_, index) => candidateOf(2, {}, index));
    await submit(greedy, alice);
    judges.release();
    await allSent;
    for (const id of late) await verdictOn(id, bob);
    const places = judges.compiled.flatMap((text, place) => (text.includes('kRows = 8') ? [place] : []));
    // The first is compiled next, and one that comes meanwhile after one of the others.
    expect(places).toEqual([6, 8, 13, 31]);
  });

  it('refuses what is above a limit of the sender, with the limit and the time to wait', async () => {
    const small = { candidates: 2, bytes: 2 * Buffer.byteLength(sourceOf(99)) };
    await judges.serve(await judges.judge({}, {}, small), tokens());
    const sent = await submit(
      [99, 2, 8].map((rows) => candidateOf(rows)),
      alice,
    );
    expect(sent.body.candidates).toMatchObject([
      { phase: expect.any(String) as string },
      { phase: 'queued' },
      { error: { code: 'SENDER_LIMIT', limit: 'candidates', retry_seconds: 5 } },
    ]);
    const alone = await submit(candidateOf(8), alice);
    expect([alone.status, alone.headers['retry-after'], alone.body.error.limit]).toEqual([429, '5', 'candidates']);
    // The others have theirs.
    const large = { files: { 'kernel_variant.hip': sourceOf(8) + '/'.repeat(small.bytes) } };
    const refused = await submit(large, bob);
    expect([refused.status, refused.body.error.limit]).toEqual([429, 'bytes']);
    expect((await submit(candidateOf(8), bob)).status).toBe(200);
    const { body } = await request('GET', '/v1/status', { token: alice });
    expect(body).toMatchObject({ own: { candidates: 2, most_candidates: 2, most_bytes: small.bytes } });
  });

  it('lets a sender wait that took its CPU time, and others go on', async () => {
    let nowMs = 0;
    const clock = { now: () => new Date(0), monotonicMs: () => nowMs };
    await judges.serve(await judges.judge({}, { clock }, { cpuSeconds: 60 }), tokens());
    judges.cpuSeconds = 90;
    await submit([candidateOf(99, { id: 'a0' }), candidateOf(4, { id: 'a1' })], alice);
    judges.release();
    await verdictOn('a0', alice);
    const refused = await submit(candidateOf(8), alice);
    expect([refused.status, refused.headers['retry-after'], refused.body.error]).toEqual([
      429,
      '30',
      expect.objectContaining({ code: 'SENDER_LIMIT', limit: 'cpu_seconds', retry_seconds: 30 }),
    ]);
    judges.cpuSeconds = 0;
    await submit(candidateOf(8, { id: 'b0' }), bob);
    await verdictOn('b0', bob);
    expect((await request('GET', '/v1/candidates/a1', { token: alice })).body.phase).toBe('queued');
    nowMs = 30_001;
    // Anything that ends has the judge look for what may begin.
    await submit(candidateOf(6, { id: 'b1' }), bob);
    expect((await verdictOn('a1', alice)).body.judgement.verdict).toBe('pass');
  });

  it.each<[string, number, string, string, Parameters<typeof ask>[3]]>([
    ['no token', 401, 'GET', '/v1/status', {}],
    ['another token', 401, 'GET', '/v1/status', { token: `${alice}x` }],
    ['a token in another form', 401, 'GET', '/v1/status', { headers: { authorization: `Basic ${alice}` } }],
    ['a web page', 403, 'GET', '/v1/status', { token: alice, headers: { origin: 'null' } }],
    ['another name', 403, 'GET', '/v1/status', { token: alice, headers: { host: 'rebound.example:80' } }],
    ['an unknown path', 404, 'GET', '/v1/candidates/../../etc/passwd', { token: alice }],
    ['a name that climbs', 404, 'GET', '/v1/candidates/..%2f..%2fkey', { token: alice }],
    ['a method', 405, 'PATCH', '/v1/candidates', { token: alice }],
    ['text', 400, 'POST', '/v1/candidates', { token: alice, body: 'hello' }],
    ['no candidate', 400, 'POST', '/v1/candidates', { token: alice, body: [] }],
    ['bytes', 400, 'POST', '/v1/candidates', { token: alice, body: Buffer.from([0x22, 0x80, 0x22]) }],
    [
      'compression',
      415,
      'POST',
      '/v1/candidates',
      { token: alice, body: '{}', headers: { 'content-encoding': 'gzip' } },
    ],
    ['too many', 413, 'POST', '/v1/candidates', { token: alice, body: Array.from({ length: 101 }, () => ({})) }],
    [
      'small things without number',
      400,
      'POST',
      '/v1/candidates',
      { token: alice, body: `[${'[],'.repeat(60_000)}1]` },
    ],
    ['depth', 400, 'POST', '/v1/candidates', { token: alice, body: '['.repeat(200_000) }],
    ['a long wait', 400, 'GET', '/v1/candidates/x/verdict?waitSeconds=301', { token: alice }],
    ['a headers bomb', 431, 'GET', '/v1/status', { token: alice, headers: { x: 'x'.repeat(20_000) } }],
  ])('refuses %s with %i', async (_, status, method, path, given) => {
    await judges.serve(await judges.judge(), tokens());
    const refused = await request(method, path, given);
    expect(refused.status).toBe(status);
    if (status !== 431)
      expect(refused.body).toEqual({
        error: {
          code: expect.any(String) as string,
          message: expect.any(String) as string,
          next: expect.any(String) as string,
        },
      });
    expect(refused.text).not.toContain(alice);
    expect((await request('GET', '/v1/status', { token: alice })).status).toBe(200);
  });

  it('refuses a body that is announced too large before it is sent', async () => {
    await judges.serve(await judges.judge());
    const socket = connect(judges.socket);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write('POST /v1/candidates HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n[');
    await new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
    expect(text).toMatch(/^HTTP\/1.1 413 [^]*connection: close/i);
  });

  it('lets a bounded number of requests of a sender wait, and those of others beside them', async () => {
    const server = await judges.serve(await judges.judge(), tokens());
    const streams = Array.from({ length: 65 }, () => request('GET', '/v1/events', { token: alice }));
    const refused = await Promise.race(streams);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'JUDGE_FULL']);
    const others = request('GET', '/v1/events', { token: bob });
    await request('GET', '/v1/status', { token: bob });
    await server.close();
    const ended = await Promise.all([...streams, others]);
    expect(ended.filter(({ status }) => status === 200)).toHaveLength(65);
  });

  it('ends streams and waiting requests with a reason, and the next judge of the home goes on', async () => {
    const first = await judges.judge();
    const server = await judges.serve(first);
    await submit([candidateOf(99, { id: 'slow' }), candidateOf(2, { id: 'next' })]);
    const stream = request('GET', '/v1/events');
    const waiting = verdictOn('slow');
    while ((await request('GET', '/v1/candidates/slow')).body.phase !== 'compiling');
    await server.close();
    await first.close();
    const [last] = linesOf(await stream).slice(-1);
    expect([last, (await waiting).status]).toMatchObject([{ event: 'error', error: { code: 'JUDGE_CLOSED' } }, 503]);
    judges.release();
    const second = await judges.judge();
    await judges.serve(second);
    expect(second.resume()).toBe(2);
    for (const id of ['slow', 'next']) expect((await verdictOn(id)).body.judgement.verdict).toBe('pass');
    expect(readdirSync(made.workspace.path('home', 'verdicts')).sort()).toEqual(['next.json', 'slow.json']);
    expect(readdirSync(made.workspace.path('home', 'accepted'))).toEqual([]);
  });

  it('answers as its OpenAPI document says, which names each request that there is', async () => {
    await judges.serve(await judges.judge());
    const document = JSON.parse(JSON.stringify(openApiDocument())) as {
      paths: Record<
        string,
        Record<string, { responses?: Record<string, { content: Record<string, { schema: object }> }> }>
      >;
    };
    // Draft 7 knows the words that the document uses.
    const ajv = new Ajv({ allErrors: true, schemaId: '$id', unknownFormats: 'ignore' });
    ajv.addSchema({ ...document, $id: 'document' }, 'document');
    const errorsOf = (path: string, method: string, { status, body }: Answer): unknown => {
      const schema = document.paths[path]?.[method]?.responses?.[status]?.content['application/json']?.schema;
      if (!schema) return `${method} ${path} has no answer ${status}`;
      const { $ref = '' } = schema as { $ref?: string };
      return ajv.validate({ $ref: `document${$ref}` }, body) ? null : ajv.errorsText();
    };
    await submit(candidateOf(7, { id: 'x' }));
    await verdictOn('x');
    const told: [string, string, string, unknown?][] = [
      ['post', '/v1/candidates', '/v1/candidates', [candidateOf(7, { id: 'x' }), {}]],
      ['post', '/v1/candidates', '/v1/candidates', { id: 3 }],
      ['get', '/v1/candidates/{id}', '/v1/candidates/x'],
      ['get', '/v1/candidates/{id}', '/v1/candidates/y'],
      ['delete', '/v1/candidates/{id}', '/v1/candidates/x'],
      ['get', '/v1/candidates/{id}/verdict', '/v1/candidates/x/verdict'],
      ['get', '/v1/kernels', '/v1/kernels'],
      ['get', '/v1/status', '/v1/status'],
    ];
    for (const [method, path, url, body] of told)
      expect([method, url, errorsOf(path, method, await request(method.toUpperCase(), url, { body }))]).toEqual([
        method,
        url,
        null,
      ]);
    expect((await request('GET', '/v1/openapi.json')).body).toEqual(document);
    // The check finds what is wrong.
    expect(
      errorsOf('/v1/kernels', 'get', { status: 200, headers: {}, text: '', body: { kernels: [{}] } as Answer['body'] }),
    ).toMatch(/name/);
    for (const line of linesOf(await request('GET', '/v1/events?ids=x')))
      expect([ajv.validate({ $ref: 'document#/components/schemas/Event' }, line), line.event]).toEqual([
        true,
        line.event,
      ]);
    const named = Object.entries(document.paths).flatMap(([path, methods]) =>
      ['get', 'post', 'delete', 'put', 'patch'].filter((method) => method in methods).map((method) => [method, path]),
    );
    for (const [method = '', path = ''] of named)
      expect([path, (await request('OPTIONS', path.replace('{id}', 'x'))).headers['allow']]).toEqual([
        path,
        expect.stringContaining(method.toUpperCase()) as string,
      ]);
    expect(new Set(named.map(([, path]) => path)).size).toBe(7);
  });
});
