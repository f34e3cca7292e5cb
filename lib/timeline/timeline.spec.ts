import { writeFileSync } from 'node:fs';
import { failure } from '../testing/failure';
import { TestWorkspace } from '../testing/workspace';
import { openEvents } from './open-events';
import { Summary } from './summary';
import { eventsPacket, long, packets, rankPacket } from './testing/proto-file';
import { RecordingWriter } from './testing/recording-writer';
import { writeTimeline, type TimelineFacts, type TimelineParts } from './timeline';

const base = 1_790_000_000_000_000_000n;
const anchor = (deviceNs: bigint, offsetNs: bigint, errorNs = 100): object => ({
  deviceNs: long(deviceNs),
  offsetNs: long(offsetNs),
  errorNs,
});

describe('a timeline of files of events', () => {
  const workspace = new TestWorkspace();
  afterAll(() => workspace.dispose());

  function written(
    bytes: Buffer[],
    more: Partial<TimelineParts> = {},
  ): { writer: RecordingWriter; facts: TimelineFacts } {
    const files = bytes.map((each, index) => {
      const path = workspace.path(`${index}.kevents`);
      writeFileSync(path, each);
      return openEvents(path, undefined);
    });
    const writer = new RecordingWriter();
    return {
      writer,
      facts: writeTimeline({ files, launches: null, isUnaligned: false, ...more }, writer, new Summary()),
    };
  }

  it('puts ranks on the time of the host by their anchors, and not by their first events', () => {
    // Rank 1 began 500 ns after rank 0, on a clock that is an hour behind.
    const hour = 3_600_000_000_000n;
    const bytes = packets(
      rankPacket(0, 1, { anchors: [anchor(base, 0n)] }),
      rankPacket(1, 1, { anchors: [anchor(base - hour, hour, 300)] }),
      eventsPacket(1, [{ start: base - hour + 500n, end: base - hour + 700n }]),
      eventsPacket(0, [{ start: base, end: base + 900n }]),
    );
    const { writer, facts } = written([bytes]);
    expect(writer.slices.map(({ process, start, end }) => [process, start, end])).toEqual([
      ['Rank 0: H200', 0, 900],
      ['Rank 1: H200', 500, 700],
    ]);
    expect(facts).toMatchObject({ unit: 'ns', alignment: 'host', zero: base });
    // The bound includes the resolution of the clock and the drift since the anchor.
    expect(facts.ranks.map(({ errorNs }) => errorNs)).toEqual([100 + 1 + 64, 300 + 1 + 64]);
  });

  it('follows a clock that drifts where nothing runs, keeps every length, and counts the rest as error', () => {
    // 100 us of drift over a second: the offset is 0 at the first anchor and 100,000 at the second.
    const second = 1_000_000_000n;
    const events = [
      { pid: 1, start: base, end: base + second / 2n },
      { pid: 1, start: base + second / 4n, end: base + second / 2n },
      { pid: 1, start: base + second / 2n, end: base + second },
      { pid: 1, start: base + second, end: base + second + 7n },
    ];
    const anchors = [anchor(base, 0n), anchor(base + second, 100_000n)];
    const { writer, facts } = written([packets(rankPacket(0, 4, { anchors }), eventsPacket(0, events))]);
    expect(writer.slices.map(({ start, end }) => [start, end - start])).toEqual([
      [0, 500_000_000],
      [250_000_000, 250_000_000],
      [500_050_000, 500_000_000],
      [1_000_100_000, 7],
    ]);
    // The second half of each event is late by up to 50 us.
    expect(facts.ranks[0]?.errorNs).toBe(50_000 + 100 + 1 + 64);
  });

  it('never shows an event before the one that it follows, where a clock runs back', () => {
    const anchors = [anchor(base, 0n), anchor(base + 1000n, -500n)];
    const events = [0n, 100n, 200n, 300n].map((since) => ({ start: base + since, end: base + since + 100n }));
    const { writer } = written([packets(rankPacket(0, 4, { anchors }), eventsPacket(0, events))]);
    for (const [index, { start }] of writer.slices.entries())
      expect(start).toBeGreaterThanOrEqual(writer.slices[index - 1]?.end ?? 0);
  });

  it('draws arrows from where data is to where it goes', () => {
    const events = [
      { id: 3, target: 1, start: base, end: base + 10n },
      { id: 2, target: 1, start: base + 20n, end: base + 30n },
      { id: 3, target: 0, start: base + 40n, end: base + 50n },
      { id: 3, target: 2, start: base + 60n, end: base + 70n },
      { id: 1024, target: 1, start: base + 80n, end: base + 90n },
    ];
    const { writer, facts } = written([packets(rankPacket(0, 5), eventsPacket(0, events))]);
    const arrows = writer.slices.filter(({ details }) => details.flows ?? details.endsFlows);
    expect(
      arrows.map(({ process, track, name, details }) => [process, track, name, details.flows, details.endsFlows]),
    ).toEqual([
      ['Rank 0: H200', 'SM 0/lane 0', 'put', [1], undefined],
      ['Rank 1 (no file of it)', 'remote accesses/lane 0', 'put from rank 0', undefined, [1]],
      ['Rank 1 (no file of it)', 'remote accesses/lane 0', 'get by rank 0', [2], undefined],
      ['Rank 0: H200', 'SM 0/lane 0', 'get', undefined, [2]],
    ]);
    expect(facts).toMatchObject({
      flows: 2,
      notes: ['1 events name a target rank that there is not: they have no arrows'],
    });
  });

  it('tells those that never ended from those of no length', () => {
    const events = [
      { start: base, end: -1n },
      { start: base, end: base },
      { start: base + 9n, end: base + 2n },
    ];
    const { writer, facts } = written([packets(rankPacket(0, 3), eventsPacket(0, events))]);
    expect(writer.instants.map(({ name }) => name)).toEqual(['fetch (never ended)', 'fetch (ends before it starts)']);
    expect(writer.slices.map(({ start, end }) => [start, end])).toEqual([[0, 0]]);
    expect(facts.ranks).toMatchObject([{ open: 1, reversed: 1, kept: 3 }]);
  });

  it('shows launches of the same boot, and says why those of another one are not there', () => {
    const rows = [{ name: 'gemm', startNs: base - 100n, endNs: base + 1000n, device: 0, stream: 7 }];
    const bytes = packets(
      rankPacket(0, 1, { anchors: [anchor(base, 0n)] }),
      eventsPacket(0, [{ start: base, end: base + 9n }]),
    );
    const { writer, facts } = written([bytes], { launches: { boot: 'b', rows, leftOut: 3 } });
    expect(writer.slices[0]).toMatchObject({
      process: 'Kernel launches',
      track: 'device 0, stream 7/lane 0',
      name: 'gemm',
      start: 0,
      end: 1100,
    });
    expect(writer.slices[1]).toMatchObject({ start: 100 });
    expect(facts).toMatchObject({ launches: 1, notes: ['the profile has 3 more launches without their times'] });
    const other = written([bytes], { launches: { boot: 'c', rows, leftOut: 0 } });
    expect(other.facts.launches).toBe(0);
    expect(other.facts.notes.join()).toContain('another boot');
  });

  it.each<[string, object]>([
    ['of several hosts', { anchors: [anchor(base, 0n)], host: { boot: 'other' } }],
    ['without anchors', {}],
  ])('refuses ranks %s, unless they are to be shown as they are', async (_, more) => {
    const bytes = packets(
      rankPacket(0, 1, { anchors: [anchor(base, 0n)] }),
      eventsPacket(0, [{ start: base, end: base + 9n }]),
      rankPacket(1, 1, more),
      eventsPacket(1, [{ start: base + 4n, end: base + 9n }]),
    );
    expect((await failure(Promise.resolve().then(() => written([bytes])))).code).toBe('CLOCKS_UNRELATED');
    const { writer, facts } = written([bytes], { isUnaligned: true });
    expect(facts.alignment).toBe('none');
    expect(facts.notes.join()).toContain('not known');
    expect(writer.slices.map(({ start }) => start)).toEqual([0, 4]);
  });

  it('takes a rank once', async () => {
    const bytes = packets(rankPacket(0, 0));
    expect((await failure(Promise.resolve().then(() => written([bytes, bytes])))).what).toContain('rank 0 is in two');
  });
});
