import type { IncomingMessage } from 'node:http';
import { systemCode } from '../../support/error';
import { Refusal } from './refusal';
import { limits } from './wire';

/** Reads bodies of requests as text, within the limits of one and of all together. */
export class Bodies {
  private held = 0;

  async read(request: IncomingMessage): Promise<string> {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw new Refusal(415, `the encoding ${encoding} is not read`, 'send plain JSON');
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.held += chunk.length;
        if (bytes > limits.bodyBytes) throw tooLarge();
        if (this.held > limits.bodiesBytes)
          throw new Refusal(429, 'too much is sent at a time', 'send it again', 'JUDGE_FULL');
        chunks.push(chunk);
      }
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    } catch (error) {
      if (systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
        throw new Refusal(400, 'the body is not UTF-8', 'send JSON');
      throw error;
    } finally {
      this.held -= bytes;
    }
  }
}

const tooLarge = (): Refusal =>
  new Refusal(413, `the body has more than ${limits.bodyBytes} bytes`, 'send fewer candidates at a time');
