import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { KernloopError } from '../support/error';
import type { EventsFile } from './events';
import { invalidEvents } from './invalid';
import { openIrisEvents } from './iris-events';
import { eventsSchemaName, openJsonEvents } from './json-events';
import { openProtoEvents } from './proto-events';

/** Kind of a file of events by its content, never by its name: this version's, Iris's, or null. */
export function kindOfEvents(path: string): EventsFile['kind'] | null {
  if (!existsSync(path) || !statSync(path).isFile()) return null;
  const head = headOf(path);
  if (startsWithRank(head)) return 'kernloop';
  const text = head.toString('latin1');
  if (!/^\s*\{/.test(text)) return null;
  return text.includes(eventsSchemaName) ? 'kernloop-json' : 'iris';
}

export function openEvents(path: string, clockMhz: number | undefined): EventsFile {
  if (!existsSync(path))
    throw new KernloopError(
      'FILE_NOT_FOUND',
      `${path} does not exist`,
      'name a file that kernloop.tracing or Iris exported',
    );
  const { size } = statSync(path);
  switch (kindOfEvents(path)) {
    case 'kernloop':
      return openProtoEvents(path, size);
    case 'kernloop-json':
      return openJsonEvents(path, size);
    case 'iris':
      return openIrisEvents(path, clockMhz);
    case null:
      throw invalidEvents(path, 'it is no file of events');
  }
}

/**
 * Whether a file starts with a packet (field 1) that contains a rank (field 1). A result of Neutrino may begin with the
 * same byte, but continues with zeros.
 */
function startsWithRank(head: Buffer): boolean {
  if (head[0] !== 0x0a) return false;
  const last = head.subarray(1, 7).findIndex((byte) => byte < 0x80);
  return last !== -1 && head[last + 2] === 0x0a;
}

function headOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(4096);
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}
