import type { IncomingMessage } from 'node:http';
import { systemCode } from '../../support/error';
import { Refusal } from './refusal';
import { limits } from './wire';

/**
 * Reads bodies of requests as text, within the limits of one and of all together. Above the latter, senders that hold less
 * than their share may go on, so that one sender's bodies keep nobody else out; all together hold less than twice as much.
 */
export class Bodies {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  /** `groups`: the number of senders. */
  constructor(private readonly groups: number) {}

  async read(request: IncomingMessage, group: string): Promise<string> {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw new Refusal(415, `the encoding ${encoding} is not read`, 'send plain JSON');
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.hold(group, chunk.length);
        if (bytes > limits.bodyBytes) throw tooLarge();
        if (this.held > limits.bodiesBytes && (this.heldBy.get(group) ?? 0) > limits.bodiesBytes / this.groups)
          throw new Refusal(429, 'too much is sent at a time', 'send it again', 'JUDGE_FULL');
        chunks.push(chunk);
      }
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    } catch (error) {
      if (systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
        throw new Refusal(400, 'the body is not UTF-8', 'send JSON');
      throw error;
    } finally {
      this.hold(group, -bytes);
    }
  }

  private hold(group: string, bytes: number): void {
    this.held += bytes;
    this.heldBy.set(group, (this.heldBy.get(group) ?? 0) + bytes);
  }
}

const tooLarge = (): Refusal =>
  new Refusal(413, `the body has more than ${limits.bodyBytes} bytes`, 'send fewer candidates at a time');
