import { randomBytes } from 'node:crypto';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isErrorCode } from '../support/error-codes';
import { KernloopError, systemCode } from '../support/error';
import { describeIssues } from '../support/schema';
import type { CandidateInput } from './candidate-json';
import type { Sealed } from './seal';
import { parseAddress, type Address } from './service/address';
import {
  eventSchema,
  kernelsSchema,
  limits,
  refusalSchema,
  sealedSchema,
  serviceStatusSchema,
  statusSchema,
  submittedSchema,
  type JudgedKernel,
  type ServiceStatus,
  type Submitted,
  type WireEvent,
  type WireStatus,
} from './service/wire';

export interface JudgeClientOptions {
  /** As `kernloop judge --serve` prints it: a path, HOST:PORT or http://HOST:PORT. */
  readonly address: string;
  /** Not wanted on a Unix socket without --tokens. */
  readonly token?: string;
  /** Seconds in which a judge that does not answer is asked again: it may be restarted. Default: 30. */
  readonly patienceSeconds?: number;
}

/** Bytes of an answer; a hundred states with their verdicts have less. */
const mostBytes = 64 * 1024 * 1024;
const retryMs = 500;

/**
 * Client of `kernloop judge --serve`. Requests are repeated while the judge is restarted. No candidate is judged twice
 * by that, because each has an id before it is sent.
 */
export class JudgeClient {
  private readonly place: Address;
  private readonly headers: Record<string, string>;
  private readonly patienceMs: number;

  constructor({ address, token, patienceSeconds = 30 }: JudgeClientOptions) {
    this.place = parseAddress(address);
    this.headers = { host: 'localhost', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    this.patienceMs = patienceSeconds * 1000;
  }

  /** Submits one candidate; a refusal is an error. */
  async submit(candidate: CandidateInput): Promise<WireStatus> {
    const [submitted] = await this.submitAll([candidate]);
    if (submitted && !('error' in submitted)) return submitted;
    throw submitted ? errorOf(submitted.error) : notUnderstood('it names no candidate');
  }

  /** Submits at most a hundred candidates: each is accepted or refused separately. */
  async submitAll(candidates: readonly CandidateInput[]): Promise<Submitted[]> {
    const named = candidates.map((candidate) => ({ id: randomBytes(9).toString('hex'), ...candidate }));
    return (await this.json('POST', '/v1/candidates', submittedSchema, named)).candidates;
  }

  async candidate(id: string): Promise<WireStatus> {
    return this.json('GET', `/v1/candidates/${encodeURIComponent(id)}`, statusSchema);
  }

  /** Waits for the signed verdict. */
  async verdict(id: string, signal?: AbortSignal): Promise<Sealed> {
    const path = `/v1/candidates/${encodeURIComponent(id)}/verdict?waitSeconds=${waitSeconds}`;
    for (;;) {
      const told = await this.json('GET', path, z.union([sealedSchema, statusSchema]), undefined, signal);
      if ('judgement' in told) return told;
    }
  }

  /** The signed verdicts on these candidates, each as soon as there is one. */
  async *verdicts(ids: readonly string[], signal?: AbortSignal): AsyncGenerator<Sealed> {
    for (let first = 0; first < ids.length; first += limits.candidatesAtOnce)
      yield* this.verdictsOf(new Set(ids.slice(first, first + limits.candidatesAtOnce)), signal);
  }

  /** Phases and verdicts of all candidates of this sender, from now on. Ends with an error if the judge ends. */
  async *events(signal?: AbortSignal): AsyncGenerator<WireEvent> {
    yield* this.lines('/v1/events', signal);
  }

  /** Ends the work on a candidate. */
  async cancel(id: string): Promise<WireStatus> {
    return this.json('DELETE', `/v1/candidates/${encodeURIComponent(id)}`, statusSchema);
  }

  async kernels(): Promise<JudgedKernel[]> {
    return (await this.json('GET', '/v1/kernels', kernelsSchema)).kernels;
  }

  async status(): Promise<ServiceStatus> {
    return this.json('GET', '/v1/status', serviceStatusSchema);
  }

  private async *verdictsOf(open: Set<string>, signal?: AbortSignal): AsyncGenerator<Sealed> {
    while (open.size > 0) {
      try {
        for await (const event of this.lines(`/v1/events?ids=${[...open].join(',')}`, signal)) {
          if (event.event !== 'verdict' || !open.delete(event.id)) continue;
          yield event.sealed;
        }
      } catch (error) {
        // Missing verdicts are asked for again: the judge was restarted, or this reader was slow.
        if (
          !(error instanceof KernloopError) ||
          !['JUDGE_CLOSED', 'READER_SLOW', 'JUDGE_UNREACHABLE'].includes(error.code)
        )
          throw error;
        await this.status();
      }
    }
  }

  private async *lines(path: string, signal?: AbortSignal): AsyncGenerator<WireEvent> {
    const response = await this.patiently('GET', path, undefined, signal);
    let rest = '';
    response.setEncoding('utf8');
    try {
      for await (const chunk of response as AsyncIterable<string>) {
        const lines = `${rest}${chunk}`.split('\n');
        rest = lines.pop() ?? '';
        if (rest.length > mostBytes) throw notUnderstood('a line does not end');
        for (const line of lines) {
          const event = understood(eventSchema, line);
          if (event.event === 'error') throw errorOf(event.error);
          yield event;
        }
      }
    } catch (error) {
      throw unreachable(error, this.place);
    } finally {
      response.destroy();
    }
  }

  private async json<S extends z.ZodType>(
    method: string,
    path: string,
    schema: S,
    body?: object,
    signal?: AbortSignal,
  ): Promise<z.output<S>> {
    const response = await this.patiently(method, path, body, signal);
    return understood(schema, await textOf(response));
  }

  /** Asks again while no judge answers or an old one ends. */
  private async patiently(method: string, path: string, body?: object, signal?: AbortSignal): Promise<IncomingMessage> {
    const untilMs = performance.now() + this.patienceMs;
    for (;;) {
      try {
        return await this.once(method, path, body, signal);
      } catch (error) {
        const known = unreachable(error, this.place);
        const mayCome = known instanceof KernloopError && ['JUDGE_CLOSED', 'JUDGE_UNREACHABLE'].includes(known.code);
        if (!mayCome || performance.now() + retryMs > untilMs) throw known;
        await pause(retryMs, undefined, { signal });
      }
    }
  }

  private async once(method: string, path: string, body?: object, signal?: AbortSignal): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { place } = this;
    const options: RequestOptions = {
      ...(place.kind === 'socket' ? { socketPath: place.path } : { host: place.host, port: place.port }),
      ...(signal ? { signal } : {}),
      ...{ method, path, agent: false },
      headers: {
        ...this.headers,
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(options, resolve).on('error', reject).end(text);
    });
    if ((response.statusCode ?? 500) < 400) return response;
    throw errorOf(understood(refusalSchema, await textOf(response)).error);
  }
}

/** Seconds of one request for a verdict, which is repeated. */
const waitSeconds = 60;

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw notUnderstood(`it has more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function understood<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notUnderstood(`it is not JSON: ${text.slice(0, 80)}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw notUnderstood(describeIssues(parsed.error, schema));
}

const notUnderstood = (why: string): KernloopError =>
  new KernloopError('JUDGE_ANSWER', `the answer of the judge cannot be read: ${why}`, '');

function errorOf({ code, message, next }: { code: string; message: string; next: string }): KernloopError {
  return isErrorCode(code) ? new KernloopError(code, message, next) : notUnderstood(`${code}: ${message}`);
}

/** Errors of the connection have a code of the system; others stay. */
function unreachable(error: unknown, place: Address): unknown {
  const code = systemCode(error);
  if (error instanceof KernloopError || code === undefined || code === 'ABORT_ERR') return error;
  const where = place.kind === 'socket' ? place.path : `${place.host}:${place.port}`;
  return new KernloopError('JUDGE_UNREACHABLE', `no judge answers at ${where} (${code})`, '', { cause: error });
}
