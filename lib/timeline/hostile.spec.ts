import { writeFileSync } from 'node:fs';
import { KernloopError } from '../support/error';
import { TestWorkspace } from '../testing/workspace';
import { nullWriter } from './null-writer';
import { kindOfEvents, openEvents } from './open-events';
import { Summary } from './summary';
import { eventsPacket, long, packets, rankPacket } from './testing/proto-file';
import { writeTimeline } from './timeline';

const base = 1_790_000_000_000_000_000n;
const events = [
  { id: 3, target: 1, start: base, end: base + 10n },
  { start: base + 5n, end: -1n },
  { start: base + 6n, end: base + 8n },
];
const range = { name: 'r', thread: 7, startNs: long(5n), endNs: long(9n) };
const anchors = [{ deviceNs: long(base), offsetNs: long(10_000n - base), errorNs: 5 }];
const named = { anchors, eventNames: [{ id: 1024, name: 'é' }], dropped: long(-1n) };
const whole = packets(
  rankPacket(0, 3, named),
  { hostRanges: { rank: 0, host: { boot: 'b' }, ranges: [range] } },
  eventsPacket(0, events),
);

const irisEvent = {
  ...{ name: 'put', cat: 'iris', ph: 'X', ts: 100, dur: 10, pid: 0, tid: 'XCC0_CU1' },
  args: {
    ...{ program_id: 1, pid_m: 0, pid_n: 0, target_rank: 0, address: '0x7f', xcc_id: 0, cu_id: 1 },
    ...{ op_index: 0, payload_size: 8 },
  },
};
const iris = Buffer.from(
  JSON.stringify({
    traceEvents: [irisEvent, { ...irisEvent, name: 'a "quoted" \\ {[name' }],
    metadata: { gpu_arch: 'gfx942' },
  }),
);

describe('a hostile file of events', () => {
  const workspace = new TestWorkspace();
  const path = workspace.path('hostile');
  afterAll(() => workspace.dispose());

  /** A file is either read or refused with a message; nothing else may happen. */
  function outcome(bytes: Buffer): string {
    writeFileSync(path, bytes);
    try {
      writeTimeline(
        { files: [openEvents(path, undefined)], launches: null, isUnaligned: true },
        nullWriter,
        new Summary(),
      );
      return 'read';
    } catch (error) {
      if (!(error instanceof KernloopError)) throw error;
      expect(['TRACE_INVALID', 'USAGE']).toContain(error.code);
      return error.what;
    }
  }

  it.each([
    ['a file', whole],
    ['a file of Iris', iris],
  ])('is refused at every length that is not the whole: %s', (_, bytes) => {
    expect(outcome(bytes)).toBe('read');
    for (let length = 0; length < bytes.length; length++) {
      expect(outcome(bytes.subarray(0, length))).not.toBe('read');
    }
  });

  it.each([
    ['a file', whole],
    ['a file of Iris', iris],
  ])('does nothing but to be refused, whatever its bytes are: %s', (_, bytes) => {
    let state = 1;
    const next = (most: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
    const seen = new Set<string>();
    for (let round = 0; round < 300; round++) {
      const copy = Buffer.from(bytes);
      for (let changes = 1 + next(4); changes > 0; changes--) copy[next(copy.length)] = next(256);
      seen.add(outcome(copy));
    }
    expect(seen.size).toBeGreaterThan(5);
    expect(seen).toContain('read');
  });

  it.each([
    ['of a newer version', packets(rankPacket(0, 0, { version: 2 })), 'version 2'],
    ['with fewer events than it says', packets(rankPacket(0, 4), eventsPacket(0, events)), '3 events of 4'],
    ['with events of nobody', packets(rankPacket(0, 0), eventsPacket(5, events)), 'rank 5'],
    ['with a rank twice', packets(rankPacket(0, 0), rankPacket(0, 0)), 'twice'],
    ['in another order', packets(rankPacket(0, 3), eventsPacket(0, [...events].reverse())), 'starts before'],
    [
      'of times that are none',
      packets(
        rankPacket(0, 2),
        eventsPacket(0, [
          { start: 0n, end: 1n },
          { start: 2n ** 62n, end: 1n },
        ]),
      ),
      'ns from',
    ],
    [
      'of columns that do not fit',
      packets(rankPacket(0, 1), { events: { rank: 0, count: 1, eventId: [1, 2] } }),
      'column 3 of 1 events has 8 bytes',
    ],
    ['of a packet too long', Buffer.concat([whole, Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f])]), 'ends'],
    ['of a number without an end', Buffer.from([0x0a, 0x05, 0x0a, 0xff, 0xff, 0xff, 0xff]), 'has no end'],
  ])('says what is wrong with one %s', (_, bytes, said) => {
    expect(outcome(bytes)).toContain(said);
  });

  it('passes over fields of a later writer', () => {
    // Field 99 of a packet in its own message: a message of one byte.
    expect(outcome(Buffer.concat([whole, Buffer.from([0x0a, 0x04, 0x9a, 0x06, 0x01, 0x00])]))).toBe('read');
  });

  it('takes no result of Neutrino for one, though its first byte is the same', () => {
    const neutrino = Buffer.alloc(64);
    neutrino.writeUInt32LE(10, 0);
    writeFileSync(path, neutrino);
    expect(kindOfEvents(path)).toBeNull();
  });

  it('refuses JSON that is deep or long without holding it', () => {
    expect(outcome(Buffer.from(`{"traceEvents":${'['.repeat(1000)}`))).toContain('64 levels');
    expect(outcome(Buffer.from(`{"traceEvents":[{"name":"${'a'.repeat(2 << 20)}"}]}`))).toContain('more than');
    expect(outcome(Buffer.from('{"traceEvents":[]}{'))).toContain('no one object');
  });
});
