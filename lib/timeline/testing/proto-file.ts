import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'protobufjs';

/** The published definition, read by protobufjs: test files are written with it, not with Kernloop's code. */
const definition = parse(
  readFileSync(join(__dirname, '..', '..', '..', 'docs', 'reference', 'device-events.proto'), 'utf8'),
);
const message = definition.root.lookupType('kernloop.events.v1.DeviceEvents');

export interface TestEvent {
  readonly id?: number;
  readonly pid?: number;
  readonly unit?: number;
  readonly target?: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly op?: number;
}

/** A 64-bit number in the form that protobufjs takes. */
export function long(value: bigint): object {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false };
}

/** Bytes of packets as protobufjs encodes them. */
export function packets(...content: object[]): Buffer {
  return Buffer.from(message.encode(message.fromObject({ packet: content })).finish());
}

export function rankPacket(rank: number, kept: number, more: object = {}): object {
  const clock = { isTime: true, ticksPerSecond: 1_000_000_000, resolution: 32, source: 'globaltimer' };
  const host = { name: 'node', boot: 'b', pid: 7 };
  const given = {
    version: 1,
    rank,
    worldSize: 2,
    deviceName: 'H200',
    target: 'cuda-sm_90',
    clock,
    kept,
    host,
  };
  return { rank: { ...given, ...more } };
}

export function eventsPacket(rank: number, events: readonly TestEvent[]): object {
  const all = <T>(value: (event: TestEvent) => T): T[] => events.map(value);
  const zeros = all(() => 0);
  return {
    events: {
      rank,
      count: events.length,
      eventId: all(({ id }) => id ?? 1024),
      pid: all(({ pid }) => pid ?? 0),
      ...{ pidM: zeros, pidN: zeros, xccId: zeros },
      curRank: all(() => rank),
      targetRank: all(({ target }) => target ?? rank),
      cuId: all(({ unit }) => unit ?? 0),
      start: all(({ start }) => long(start)),
      address: all(() => long(-1n)),
      end: all(({ end }) => long(end)),
      opIndex: events.map(({ op }, index) => op ?? index),
      payloadSize: zeros,
    },
  };
}
