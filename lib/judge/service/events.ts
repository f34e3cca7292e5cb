import type { ServerResponse } from 'node:http';
import { KernloopError } from '../../support/error';
import type { Judge, Status } from '../judge';
import { errorBody } from './refusal';
import { limits, type WireEvent } from './wire';

export interface Watched {
  readonly group: string;
  /** Candidates to follow until each has its verdict; null: all of the group, for ever. */
  readonly ids: ReadonlySet<string> | null;
  /** Aborted when the judge ends. */
  readonly closing: AbortSignal;
}

/** Time in which a slow reader can still read the last line. */
const farewellMs = 5000;

/** Streams what happens to candidates, one JSON object a line, until all is done, the reader leaves or is too slow. */
export async function streamEvents(judge: Judge, response: ServerResponse, watched: Watched): Promise<void> {
  const open = new Set(watched.ids);
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const write = (event: WireEvent): void => {
    if (response.writableEnded) return;
    if (response.writableLength <= limits.unreadBytes) return void response.write(`${JSON.stringify(event)}\n`);
    end({ event: 'error', error: errorBody(tooSlow()) });
  };
  const end = (last: WireEvent): void => {
    if (!response.writableEnded) response.end(`${JSON.stringify(last)}\n`);
    finish();
  };
  const take = (status: Status): void => {
    if (status.group !== watched.group || (watched.ids && !open.has(status.id))) return;
    write(eventOf(status));
    if (status.phase !== 'done' || !watched.ids) return;
    open.delete(status.id);
    if (open.size === 0) end({ event: 'end' });
  };
  const closed = (): void =>
    end({ event: 'error', error: errorBody(new KernloopError('JUDGE_CLOSED', 'the judge ends', '')) });

  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  // Nothing can happen between reading the state and listening, as both are in one turn of the loop.
  const unsubscribe = judge.subscribe(take);
  for (const id of watched.ids ?? []) {
    const status = judge.status(id);
    if (status) take(status);
  }
  const alive = setInterval(() => write({ event: 'alive' }), limits.aliveSeconds * 1000);
  watched.closing.addEventListener('abort', closed);
  if (watched.closing.aborted) closed();
  response.once('close', finish);
  response.flushHeaders();
  await finished;
  clearInterval(alive);
  unsubscribe();
  watched.closing.removeEventListener('abort', closed);
  // A reader that reads nothing any more would hold the memory.
  setTimeout(() => response.destroy(), farewellMs).unref();
}

const tooSlow = (): KernloopError =>
  new KernloopError('READER_SLOW', `more than ${limits.unreadBytes} bytes of events were not read`, '');

function eventOf({ id, kernel, phase, sealed }: Status): WireEvent {
  return sealed ? { event: 'verdict', id, kernel, sealed } : { event: 'phase', id, kernel, phase };
}
