import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { asKernloopError, KernloopError } from '../../support/error';
import { SenderLimit } from '../senders';
import { version } from '../../support/version';
import { bytesOf } from '../candidate-json';
import type { Judge, Status } from '../judge';
import { isOwnHost, listen, type Address } from './address';
import { Bodies } from './body';
import { boundedJson, readCandidate, readLine, type Read } from './candidates-text';
import { streamEvents } from './events';
import { openApiDocument } from './openapi';
import { errorBody, Refusal, statusOf } from './refusal';
import type { Sender, Tokens } from './tokens';
import { idSchema, limits, type ServiceStatus, type Submitted, type WireStatus } from './wire';

export interface Served {
  readonly judge: Judge;
  readonly tokens: Tokens;
  readonly address: Address;
  readonly isSandboxed: boolean;
}

interface Request extends Sender {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Part of the path. */
  readonly id: string;
  readonly query: URLSearchParams;
}

type Handler = (request: Request) => Promise<void> | void;

/** The service over HTTP. Each request is of one group, and sees the candidates of that group alone. */
export class JudgeServer {
  private readonly server: Server;
  private readonly bodies: Bodies;
  private readonly closing = new AbortController();
  /** Requests of each group that wait. */
  private readonly waiting = new Map<string, number>();
  private bound: Address;

  private readonly routes: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
    ['POST', /^\/v1\/candidates$/, (request) => this.submit(request)],
    ['GET', /^\/v1\/candidates\/([^/]+)$/, ({ response, ...of }) => answer(response, 200, wire(this.own(of)))],
    ['DELETE', /^\/v1\/candidates\/([^/]+)$/, (request) => this.cancel(request)],
    [
      'GET',
      /^\/v1\/candidates\/([^/]+)\/verdict$/,
      (request) => this.whileWaiting(request, () => this.verdict(request)),
    ],
    ['GET', /^\/v1\/events$/, (request) => this.whileWaiting(request, () => this.events(request))],
    ['GET', /^\/v1\/kernels$/, ({ response }) => answer(response, 200, { kernels: this.served.judge.kernels() })],
    ['GET', /^\/v1\/status$/, (request) => this.status(request)],
    ['GET', /^\/v1\/openapi\.json$/, ({ response }) => answer(response, 200, openApiDocument())],
  ];

  constructor(private readonly served: Served) {
    this.bound = served.address;
    this.bodies = new Bodies(served.tokens.groups);
    // Each request that waits is one.
    setMaxListeners(limits.connections, this.closing.signal);
    this.server = createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.headersSeconds * 1000,
        requestTimeout: limits.bodySeconds * 1000,
        connectionsCheckingInterval: 2000,
      },
      (request, response) => void this.handle(request, response),
    );
    this.server.maxConnections = limits.connections;
    this.server.timeout = limits.idleSeconds * 1000;
  }

  /** Resolves to the address with the port that was chosen. */
  async listen(): Promise<Address> {
    this.bound = await listen(this.server, this.served.address);
    return this.bound;
  }

  /** Accepts no more, and ends what waits. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.closing.abort();
    this.server.closeIdleConnections();
    const impatient = setTimeout(() => this.server.closeAllConnections(), 2000);
    await closed;
    clearTimeout(impatient);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The peer may leave at any time.
    response.on('error', () => undefined);
    try {
      await this.route(request, response);
    } catch (error) {
      refuse(request, response, asKernloopError(error));
    }
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.origin !== undefined)
      throw new Refusal(403, 'requests of web pages are refused', 'send it without the header Origin');
    if (!isOwnHost(request.headers.host, this.bound))
      throw new Refusal(
        403,
        'the header Host names another machine',
        'send it to the address that the judge listens at',
      );
    const sender = this.served.tokens.senderOf(request.headers.authorization);
    const { pathname, searchParams: query } = urlOf(request);
    const there = this.routes.filter(([, path]) => path.test(pathname));
    const [found] = there.filter(([method]) => method === request.method);
    if (!found) {
      if (there.length === 0) throw new Refusal(404, `there is no ${pathname.slice(0, 200)}`);
      response.setHeader('allow', there.map(([method]) => method).join(', '));
      throw new Refusal(405, `${pathname.slice(0, 200)} knows no ${request.method ?? '?'}`);
    }
    const [, path, handler] = found;
    await handler({ ...sender, request, response, query, id: path.exec(pathname)?.[1] ?? '' });
  }

  private async submit(given: Request): Promise<void> {
    if (this.closing.signal.aborted) throw new KernloopError('JUDGE_CLOSED', 'the judge ends', '');
    const { request, response } = given;
    const { all, isAlone } = candidatesIn(
      await this.bodies.read(request, given.group),
      request.headers['content-type'],
    );
    const candidates: Submitted[] = [];
    for (const read of all) {
      // Others get their turn between two candidates, which are written to the disk.
      await turn();
      try {
        if ('error' in read) throw read.error;
        candidates.push(wire(this.accept(read, given)));
      } catch (error) {
        if (isAlone) throw error;
        const id = 'error' in read ? read.id : read.candidate.id;
        candidates.push({ ...(id === undefined ? {} : { id }), error: errorBody(error) });
      }
    }
    answer(response, 200, { candidates });
  }

  private accept({ candidate }: Extract<Read, { candidate: unknown }>, { group, highestPriority }: Sender): Status {
    if ((candidate.priority ?? 0) > highestPriority) {
      throw new KernloopError(
        'CANDIDATE_REFUSED',
        `its priority ${candidate.priority} is above ${highestPriority}, the highest of this token`,
        `send it with a priority of at most ${highestPriority}`,
      );
    }
    const known = candidate.id !== undefined && this.served.judge.status(candidate.id) !== null;
    if (!known) this.served.judge.senders.requireRoom(group, bytesOf(candidate));
    return this.served.judge.submit(candidate, group);
  }

  /** The candidate of that id, if it is one of the sender's: others do not even learn that it exists. */
  private own({ id, group }: Pick<Request, 'id' | 'group'>): Status {
    const status = idSchema.safeParse(id).success ? this.served.judge.status(id) : null;
    if (status?.group === group) return status;
    throw new KernloopError(
      'CANDIDATE_UNKNOWN',
      `no candidate ${id.slice(0, 64)} was accepted here`,
      'submit it, or look at its id',
    );
  }

  private cancel(given: Request): void {
    this.own(given);
    answer(given.response, 200, wire(this.served.judge.cancel(given.id)));
  }

  private async verdict(given: Request): Promise<void> {
    const { response, query, id } = given;
    const seconds = wholeNumber(query.get('waitSeconds') ?? '0', limits.waitSeconds);
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    const timer = setTimeout(leave, seconds * 1000);
    response.once('close', leave);
    this.closing.signal.addEventListener('abort', leave);
    try {
      const { sealed } = this.own(given);
      answer(response, 200, sealed ?? (await this.served.judge.verdict(id, leaving.signal)));
    } catch (error) {
      if (!leaving.signal.aborted || error instanceof KernloopError) throw error;
      if (this.closing.signal.aborted) throw new KernloopError('JUDGE_CLOSED', 'the judge ends', '');
      answer(response, 202, wire(this.own(given)));
    } finally {
      clearTimeout(timer);
      response.off('close', leave);
      this.closing.signal.removeEventListener('abort', leave);
    }
  }

  private async events({ response, query, group }: Request): Promise<void> {
    const named = query.get('ids');
    const ids = named === null ? null : new Set(named.split(','));
    if (ids && ids.size > limits.candidatesAtOnce)
      throw new Refusal(400, `more than ${limits.candidatesAtOnce} ids are asked for`, 'ask for fewer at a time');
    for (const id of ids ?? []) this.own({ id, group });
    await streamEvents(this.served.judge, response, { group, ids, closing: this.closing.signal });
  }

  private async whileWaiting({ group }: Request, work: () => Promise<void>): Promise<void> {
    const before = this.waiting.get(group) ?? 0;
    if (before >= limits.waiting)
      throw new Refusal(429, `${before} requests of this sender wait already`, 'end one of them first', 'JUDGE_FULL');
    this.waiting.set(group, before + 1);
    try {
      await work();
    } finally {
      this.waiting.set(group, (this.waiting.get(group) ?? 1) - 1);
    }
  }

  private status({ response, group }: Request): void {
    const { judge, isSandboxed: sandboxed } = this.served;
    const { senders } = judge;
    const { candidates: most_candidates, bytes: most_bytes, cpuSeconds: most_cpu_seconds } = senders.limits;
    const { cpuSeconds: cpu_seconds, ...load } = senders.loadOf(group);
    const own = { ...load, cpu_seconds, most_candidates, most_bytes, most_cpu_seconds };
    const status: ServiceStatus = { version, public_key: judge.publicKey, sandboxed, ...judge.counts(), own };
    answer(response, 200, status);
  }
}

/** Without the group, which is the sender's own. */
const wire = ({ id, kernel, phase, sealed }: Status): WireStatus => ({ id, kernel, phase, sealed });

function urlOf({ url = '' }: IncomingMessage): URL {
  try {
    return new URL(url, 'http://judge');
  } catch {
    throw new Refusal(400, 'the path cannot be read');
  }
}

function wholeNumber(text: string, most: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Refusal(400, `waitSeconds is not a whole number up to ${most}`);
}

/** One object, a list of objects, or an object a line. Only one that is sent alone is refused by the HTTP status. */
function candidatesIn(text: string, type = 'application/json'): { all: Read[]; isAlone: boolean } {
  const isLines = type.startsWith('application/x-ndjson');
  const lines = isLines ? text.split('\n').filter((line) => line.trim() !== '') : [];
  const value = isLines ? lines : boundedJson(text);
  if (!Array.isArray(value)) return { all: [readCandidate(value)], isAlone: true };
  if (value.length === 0 || value.length > limits.candidatesAtOnce) {
    const hint = `send 1 to ${limits.candidatesAtOnce} at a time`;
    throw new Refusal(value.length === 0 ? 400 : 413, `the body holds ${value.length} candidates`, hint);
  }
  return { all: isLines ? lines.map(readLine) : value.map(readCandidate), isAlone: false };
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

function refuse(request: IncomingMessage, response: ServerResponse, error: KernloopError): void {
  const status = statusOf(error);
  if (response.headersSent) return void response.destroy();
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  const retrySeconds = error instanceof SenderLimit ? error.retrySeconds : 5;
  if (status === 429 || status === 503) response.setHeader('retry-after', String(retrySeconds));
  // A body that nobody reads would be taken for the next request.
  if (!request.complete) {
    response.setHeader('connection', 'close');
    response.once('finish', () => request.destroy());
  }
  answer(response, status, { error: errorBody(error) });
}
