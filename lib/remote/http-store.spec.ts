import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAddress } from './address';
import { HttpStore } from './http-store';

const content = Buffer.from('what a chunk holds');
const digest = createHash('sha256').update(content).digest('hex');

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe('a store behind HTTP', () => {
  let server: Server;
  let asked: { method: string; url: string; authorization: string | undefined }[];
  let answers: Answer[];

  beforeEach(async () => {
    asked = [];
    answers = [];
    server = createServer((request, response) => {
      const { method = '', url = '', headers } = request;
      asked.push({ method, url, authorization: headers.authorization });
      // The last answer is repeated.
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { silenceMs: 300, pausesMs: [1, 1, 1] };
  async function using<R>(
    work: (store: HttpStore) => Promise<R>,
    signal = new AbortController().signal,
    authorization?: string,
  ): Promise<R> {
    const store = new HttpStore(parseAddress(`${base()}/kernloop/`, 'here'), authorization, signal, limits);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }
  const says =
    (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Answer =>
    (_, response) => {
      response.writeHead(status, headers).end(body);
    };

  it('asks for /cas/<digest> below the URL, with the credentials', async () => {
    answers = [says(200, content)];
    await expect(using((store) => store.get(digest), undefined, 'Bearer secret')).resolves.toEqual(content);
    expect(asked).toEqual([{ method: 'GET', url: `/kernloop/cas/${digest}`, authorization: 'Bearer secret' }]);
  });

  it('tells what is there from what is not', async () => {
    answers = [says(200), says(404)];
    await using(async (store) => {
      await expect(store.has(digest)).resolves.toBe(true);
      await expect(store.has(digest)).resolves.toBe(false);
      await expect(store.get(digest)).rejects.toMatchObject({ code: 'REMOTE_MISSING' });
    });
  });

  it('takes no other content than that of the digest, and asks only once for it', async () => {
    answers = [says(200, 'something else')];
    await expect(using((store) => store.get(digest))).rejects.toMatchObject({ code: 'REMOTE_CORRUPT' });
    expect(asked).toHaveLength(1);
  });

  it.each([
    [
      'breaks off in the middle',
      (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '18' });
        response.write(content.subarray(0, 7), () => response.destroy());
      },
    ],
    ['closes without an answer', (request: IncomingMessage) => void request.socket.destroy()],
    ['answers with 503', says(503)],
  ] as [string, Answer][])('tries again when the server %s', async (_, bad) => {
    answers = [bad, bad, says(200, content)];
    await expect(using((store) => store.get(digest))).resolves.toEqual(content);
    expect(asked).toHaveLength(3);
  });

  it('gives half a body up after the stated number of tries, and never takes it', async () => {
    answers = [
      (_, response) => {
        response.writeHead(200, { 'content-length': '18' });
        response.write(content.subarray(0, 7), () => response.destroy());
      },
    ];
    await expect(using((store) => store.get(digest))).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    expect(asked).toHaveLength(4);
  });

  it.each(['before its answer', 'in the middle of it'])('gives up a server that says nothing, %s', async (when) => {
    answers = [
      (_, response) => {
        if (when === 'in the middle of it') {
          response.writeHead(200, { 'content-length': '18' });
          response.write(content.subarray(0, 7));
        }
      },
    ];
    const silence = using((store) => store.get(digest));
    await expect(silence).rejects.toMatchObject({
      code: 'REMOTE_UNREACHABLE',
      what: expect.stringMatching(/said nothing for 0.3 s/) as string,
    });
  });

  it('does not follow a redirect: it would take the credentials elsewhere', async () => {
    answers = [says(307, '', { location: `${base()}/elsewhere` })];
    await expect(using((store) => store.get(digest), undefined, 'Bearer secret')).rejects.toMatchObject({
      code: 'REMOTE_REFUSED',
    });
    expect(asked).toHaveLength(1);
  });

  it.each([401, 403])('says who is refused, and never the credentials (%d)', async (status) => {
    answers = [says(status)];
    const refused = using((store) => store.put(digest, content), undefined, 'Bearer secret');
    await expect(refused).rejects.toMatchObject({ code: 'REMOTE_DENIED' });
    await refused.catch((error: unknown) => expect(JSON.stringify(error) + String(error)).not.toContain('secret'));
  });

  it('reads no more than a chunk may have, whatever comes', async () => {
    answers = [
      (_, response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
    ];
    await expect(using((store) => store.get(digest))).rejects.toMatchObject({ code: 'REMOTE_CORRUPT' });
  });

  it('stops when it is interrupted', async () => {
    const controller = new AbortController();
    answers = [() => controller.abort('SIGINT')];
    await expect(using((store) => store.get(digest), controller.signal)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(asked).toHaveLength(1);
  });

  it('says where nobody listens', async () => {
    const url = base();
    server.close();
    server.closeAllConnections();
    const store = new HttpStore(parseAddress(url, 'here'), undefined, new AbortController().signal, limits);
    await expect(store.has(digest)).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    await store.close();
  });
});

describe('the address of a server', () => {
  it.each([
    ['nowhere', 'is no URL'],
    ['ftp://host/x', 'neither https: nor http:'],
    ['https://me:secret@host/', 'credentials in it'],
    ['https://host/?token=secret', 'query'],
  ])('%s is refused', (text, why) => {
    expect(() => parseAddress(text, 'here')).toThrow(why);
  });

  it('is shown without what was secret in it', () => {
    expect(() => parseAddress('https://me:secret@host/', 'here')).toThrow(/^(?!.*secret).*host/s);
  });
});
