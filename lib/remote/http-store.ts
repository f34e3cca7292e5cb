import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher, EnvHttpProxyAgent } from 'undici';
import { sha256 } from '../support/files';
import { KernloopError, messageOf, systemCode } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { formatBytes } from '../support/report';
import { objectUrl, type Address } from './address';

/** Loaded lazily: nearly every verb may need a server, and few do. */
const undici = () => require('undici') as typeof import('undici');

/** Maximum size of an object: the largest chunk that a reader of captures accepts. */
export const maxObjectBytes = 64 * 1024 * 1024;
/** Adds the overhead of encryption. */
const maxStoredBytes = maxObjectBytes + 1024 * 1024;

interface Limits {
  /** Time after which a silent server is given up. */
  silenceMs: number;
  /** Pauses before each retry. */
  pausesMs: readonly number[];
}

const usualLimits: Limits = { silenceMs: 60_000, pausesMs: [250, 1000, 4000] };

interface Answer {
  status: number;
  body: Buffer;
}

/**
 * Content by its SHA-256 on an HTTP server: GET, PUT and HEAD of `<url>/cas/<sha256>`. Redirects are not followed;
 * received content is hashed.
 */
export class HttpStore {
  private readonly agent: EnvHttpProxyAgent;

  constructor(
    readonly address: Address,
    private readonly authorization: string | undefined,
    private readonly signal: AbortSignal,
    private readonly limits: Limits = usualLimits,
  ) {
    const { silenceMs } = limits;
    // Each pending request listens to it; Node warns above ten.
    setMaxListeners(0, signal);
    this.agent = new (undici().EnvHttpProxyAgent)({
      connect: { timeout: silenceMs },
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    });
  }

  async has(digest: string): Promise<boolean> {
    const { status } = await this.ask('HEAD', digest, undefined, 0);
    if (status === 404) return false;
    this.requireSuccess(status, 'HEAD', digest);
    return true;
  }

  async put(digest: string, content: Buffer): Promise<void> {
    const { status } = await this.ask('PUT', digest, content, 0);
    this.requireSuccess(status, 'PUT', digest);
  }

  /** Content that has this digest. */
  async get(digest: string): Promise<Buffer> {
    const { status, body } = await this.ask('GET', digest, undefined, maxStoredBytes);
    if (status === 404) {
      throw new KernloopError(
        'REMOTE_MISSING',
        `${this.address.url} does not have ${digest}`,
        'push the capture again from where it is: `kernloop push`',
      );
    }
    this.requireSuccess(status, 'GET', digest);
    if (sha256(body) !== digest) {
      throw new KernloopError(
        'REMOTE_CORRUPT',
        `${objectUrl(this.address, digest)} is not the content that its name says (${formatBytes(body.length)})`,
        'remove it on the server and push again; nothing of it was kept',
      );
    }
    return body;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask(
    method: Dispatcher.HttpMethod,
    digest: string,
    content: Buffer | undefined,
    most: number,
  ): Promise<Answer> {
    for (const pauseMs of [...this.limits.pausesMs, undefined]) {
      throwIfInterrupted(this.signal);
      const answer = await this.tryOnce(method, digest, content, most);
      const again = answer instanceof KernloopError || answer.status >= 500 || answer.status === 429;
      if (again && pauseMs !== undefined) {
        await sleep(pauseMs, undefined, { signal: this.signal }).catch(() => undefined);
        continue;
      }
      if (answer instanceof KernloopError) throw answer;
      return answer;
    }
    throw new Error('the last try returns or throws');
  }

  /** A returned error may be gone at the next try; a thrown one is final. */
  private async tryOnce(
    method: Dispatcher.HttpMethod,
    digest: string,
    content: Buffer | undefined,
    most: number,
  ): Promise<Answer | KernloopError> {
    try {
      const response = await undici().request(objectUrl(this.address, digest), {
        method,
        dispatcher: this.agent,
        signal: this.signal,
        ...(content === undefined ? {} : { body: content }),
        headers: {
          'user-agent': 'kernloop',
          ...(content === undefined ? {} : { 'content-type': 'application/octet-stream' }),
          ...(this.authorization === undefined ? {} : { authorization: this.authorization }),
        },
      });
      return { status: response.statusCode, body: await this.bodyOf(response, digest, most) };
    } catch (error) {
      throwIfInterrupted(this.signal);
      if (error instanceof KernloopError) throw error;
      return this.unreachable(error);
    }
  }

  private async bodyOf({ statusCode, body }: Dispatcher.ResponseData, digest: string, most: number): Promise<Buffer> {
    if (statusCode !== 200 || most === 0) {
      await body.dump();
      return Buffer.alloc(0);
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > most) {
        throw new KernloopError(
          'REMOTE_CORRUPT',
          `${objectUrl(this.address, digest)} has more than ${formatBytes(most)}, the most that a chunk has`,
          'remove it on the server and push again; nothing of it was kept',
        );
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  private requireSuccess(status: number, method: string, digest: string): void {
    if (status >= 200 && status < 300) return;
    const what = `${method} ${objectUrl(this.address, digest)} was answered with ${status}`;
    if (status === 401 || status === 403) {
      throw new KernloopError(
        'REMOTE_DENIED',
        what,
        this.authorization === undefined
          ? 'set KERNLOOP_STORE_AUTHORIZATION ("Bearer <token>"), or a "credentialHelper" in kernloop.json'
          : 'ask who runs the server for credentials that allow this',
      );
    }
    if (status >= 300 && status < 400)
      throw new KernloopError('REMOTE_REFUSED', `${what}, a redirect, which is not followed`, 'name the server itself');
    throw new KernloopError(
      'REMOTE_REFUSED',
      what,
      method === 'PUT' && (status === 405 || status === 501)
        ? 'let the server take PUT: docs/remote.md has a configuration'
        : "see the server's log",
    );
  }

  private unreachable(error: unknown): KernloopError {
    const code = systemCode(error) ?? '';
    const silent = /TIMEOUT/.test(code);
    return new KernloopError(
      'REMOTE_UNREACHABLE',
      silent
        ? `${this.address.url} said nothing for ${this.limits.silenceMs / 1000} s`
        : `${this.address.url}: ${causeOf(error)}`,
      'check that the server runs and can be reached, then run it again: what was transferred is kept',
    );
  }
}

/** Message of the first error, if several addresses were tried. */
function causeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return messageOf(error);
}
