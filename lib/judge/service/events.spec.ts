import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Judge, Status } from '../judge';
import { streamEvents } from './events';
import { limits } from './wire';

/** A response whose peer reads nothing from the second line on. */
class Stuck extends EventEmitter {
  readonly lines: string[] = [];
  writableLength = 0;
  writableEnded = false;
  write(text: string): boolean {
    this.lines.push(text);
    if (this.lines.length > 1) this.writableLength = limits.unreadBytes + 1;
    return false;
  }
  end(text: string): void {
    this.lines.push(text);
    this.writableEnded = true;
  }
  writeHead = (): void => undefined;
  flushHeaders = (): void => undefined;
  destroy = (): void => undefined;
}

it('a reader that does not read is left, with a last line that says why', async () => {
  const listeners = new Set<(status: Status) => void>();
  const judge = {
    subscribe: (listener: (status: Status) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Judge;
  const stuck = new Stuck();
  const streamed = streamEvents(judge, stuck as unknown as ServerResponse, {
    group: 'a',
    ids: null,
    closing: new AbortController().signal,
  });
  const status = (id: string, group: string): Status => ({ id, group, kernel: 'k', phase: 'queued', sealed: null });
  for (const [id, group] of [
    ['1', 'a'],
    ['other', 'b'],
    ['2', 'a'],
    ['3', 'a'],
    ['4', 'a'],
  ] as const)
    for (const listener of listeners) listener(status(id, group));
  await streamed;
  expect(stuck.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { id: '1' },
    { id: '2' },
    { event: 'error', error: { code: 'READER_SLOW' } },
  ]);
  expect(listeners.size).toBe(0);
});
