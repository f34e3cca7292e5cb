import { readFileSync } from 'node:fs';
import { Root } from 'protobufjs/light';
import { TestWorkspace } from '../testing/workspace';
import { PerfettoWriter } from './perfetto-writer';
import { traceProto } from './trace-proto';

interface Packet {
  timestamp?: string;
  sequenceFlags: number;
  trackEvent?: {
    type: number;
    trackUuid: string;
    nameIid?: string;
    counterValue?: string;
    flowIds?: string[];
    debugAnnotations?: object[];
  };
  trackDescriptor?: { uuid: string; name: string; parentUuid?: string; siblingOrderRank?: number };
  internedData?: { eventNames: { iid: string; name: string }[] };
}

describe('a trace for Perfetto', () => {
  const workspace = new TestWorkspace();
  afterAll(() => workspace.dispose());

  function written(write: (writer: PerfettoWriter) => void): { packets: Packet[]; bytes: Buffer } {
    const path = workspace.path('a.pftrace');
    const writer = new PerfettoWriter(path);
    write(writer);
    writer.close();
    const bytes = readFileSync(path);
    const type = Root.fromJSON(traceProto).lookupType('Trace');
    return { packets: (type.toObject(type.decode(bytes), { longs: String }) as { packet: Packet[] }).packet, bytes };
  }

  it('has the bytes of a packet as Perfetto defines them', () => {
    const { bytes } = written((writer) => writer.process(7, 'p'));
    // packet { trusted_packet_sequence_id: 1, sequence_flags: 3, track_descriptor { uuid: 1, name: "p", process { pid: 7, process_name: "p" } } }
    expect(bytes.toString('hex')).toBe(
      '0a13' + '5001' + '6803' + 'e2030c' + '0801' + '120170' + '1a05' + '0807' + '320170',
    );
  });

  it('names an event once, and every slice has its end at its time', () => {
    const { packets } = written((writer) => {
      const track = writer.track(writer.process(1, 'p'), 'lane', 3);
      writer.slice(track, 'block', 5n, 2n ** 60n, {
        annotations: { block: 2n ** 63n, at: { pointer: 2n ** 64n - 1n }, less: -7, text: 'é', most: 2 ** 53 - 1 },
      });
      writer.slice(track, 'block', 2n ** 60n, 2n ** 60n + 1n);
      // A double, and numbers that need one more byte at every varint length.
      for (let bits = 7; bits < 53; bits += 7) writer.instant(track, 'block', 2 ** bits);
    });
    expect(packets.flatMap(({ internedData }) => internedData?.eventNames ?? [])).toEqual([
      { iid: '1', name: 'block' },
    ]);
    expect(packets.find(({ trackEvent }) => trackEvent)?.trackEvent?.debugAnnotations).toEqual([
      { nameIid: '1', uintValue: String(2n ** 63n) },
      { nameIid: '2', pointerValue: String(2n ** 64n - 1n) },
      { nameIid: '3', intValue: '-7' },
      { nameIid: '4', stringValue: 'é' },
      { nameIid: '5', uintValue: String(2 ** 53 - 1) },
    ]);
    const events = packets.filter(({ trackEvent }) => trackEvent);
    expect(events.map(({ timestamp, trackEvent }) => [timestamp, trackEvent?.type, trackEvent?.trackUuid])).toEqual([
      ['5', 1, '2'],
      [String(2n ** 60n), 2, '2'],
      [String(2n ** 60n), 1, '2'],
      [String(2n ** 60n + 1n), 2, '2'],
      ...[7, 14, 21, 28, 35, 42, 49].map((bits) => [String(2 ** bits), 3, '2']),
    ]);
    expect(packets[1]?.trackDescriptor).toMatchObject({ name: 'lane', parentUuid: '1', siblingOrderRank: 3 });
  });

  it('has counters below zero too, arrows, and state that is cleared once', () => {
    const { packets } = written((writer) => {
      const process = writer.process(1, 'p');
      writer.value(writer.counter(process, 'c', 'bytes'), 1n, -5n);
      writer.instant(process, 'put', 2n, { flows: [9n], category: 'remote' });
    });
    const events = packets.flatMap(({ trackEvent }) => (trackEvent ? [trackEvent] : []));
    expect(events).toMatchObject([{ counterValue: '-5' }, { type: 3, flowIds: ['9'] }]);
    expect(packets.map(({ sequenceFlags }) => sequenceFlags)).toEqual([3, 2, 2, 2, 2]);
  });
});
