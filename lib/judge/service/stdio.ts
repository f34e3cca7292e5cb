import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { Deps } from '../../deps/deps';
import { KernloopError } from '../../support/error';
import { bounds } from '../candidate-json';
import type { Judge } from '../judge';
import type { Sealed } from '../seal';
import { readLine, type Read } from './candidates-text';
import { errorBody } from './refusal';
import type { ErrorBody } from './wire';

export interface Streams {
  readonly input: AsyncIterable<Buffer | string>;
  readonly output: NodeJS.WritableStream;
}

/** Candidates in work at a time; the rest of the input waits. */
const mostUnderWay = 1000;

/** Judges the candidates of the input, one a line, and writes a line on each: its signed verdict, or why it is refused. */
export async function judgeLines(
  judge: Judge,
  { input, output }: Streams,
  { signal }: Pick<Deps, 'signal'>,
): Promise<void> {
  const ended = new Promise<'ended'>((resolve) => {
    const end = (): void => resolve('ended');
    signal.addEventListener('abort', end, { once: true });
    // The reader of the verdicts has left.
    output.once('error', end).once('close', end);
    if (signal.aborted) end();
  });
  const underWay = new Set<Promise<void>>();
  const begin = (read: Read): void => {
    const work: Promise<void> = answerTo(judge, read)
      .then((line) => written(output, line))
      .finally(() => underWay.delete(work));
    underWay.add(work);
  };
  const all = async (): Promise<void> => {
    for await (const line of linesIn(input)) {
      begin(typeof line === 'string' ? readLine(line) : { error: line });
      if (underWay.size >= mostUnderWay) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  };
  await Promise.race([all(), ended]);
}

type Line = Sealed | { id?: string; error: ErrorBody };

async function answerTo(judge: Judge, read: Read): Promise<Line> {
  const id = 'error' in read ? read.id : read.candidate.id;
  try {
    if ('error' in read) throw read.error;
    return await judge.verdict(judge.submit(read.candidate).id);
  } catch (error) {
    return { ...(id === undefined ? {} : { id }), error: errorBody(error) };
  }
}

/** Resolves once the reader has room for more. */
async function written(output: NodeJS.WritableStream, line: Line): Promise<void> {
  if (!output.write(`${JSON.stringify(line)}\n`)) await once(output, 'drain');
}

/** Lines that are not empty; an error for one that is too long, whose rest is skipped, or that is no text. */
async function* linesIn(input: Streams['input']): AsyncGenerator<string | KernloopError> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (part: Buffer): void => {
    bytes += part.length;
    // A line that is skipped is not kept.
    if (bytes > bounds.jsonBytes) parts = [];
    else parts.push(part);
  };
  const line = (): string | KernloopError => {
    const text = bytes > bounds.jsonBytes ? tooLong() : textOf(Buffer.concat(parts));
    parts = [];
    bytes = 0;
    return text;
  };
  for await (const chunk of input) {
    const data = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
      take(data.subarray(start, end));
      start = end + 1;
      const text = line();
      if (text !== '') yield text;
    }
    take(data.subarray(start));
  }
  const text = line();
  if (text !== '') yield text;
}

/** Other bytes would become the same character, so that two candidates that differ in them would be one. */
const textOf = (line: Buffer): string | KernloopError =>
  isUtf8(line) ? line.toString('utf8').trim() : new KernloopError('CANDIDATE_REFUSED', 'the line is not UTF-8', '');

const newline = 0x0a;

const tooLong = (): KernloopError =>
  new KernloopError('CANDIDATE_REFUSED', `the line has more than ${bounds.jsonBytes} bytes`, '');
