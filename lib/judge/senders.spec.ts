import { Senders, SenderLimit, unlimited, type SenderLimits } from './senders';

let nowMs = 0;
beforeEach(() => (nowMs = 0));
const sendersOf = (limits: Partial<SenderLimits>): Senders =>
  new Senders({ ...unlimited, ...limits }, { now: () => new Date(0), monotonicMs: () => nowMs });

function refusalOf(senders: Senders, sender: string, bytes = 1): string {
  try {
    senders.requireRoom(sender, bytes);
    return 'room';
  } catch (error) {
    if (!(error instanceof SenderLimit)) throw error;
    return `${error.code} ${error.limit} ${error.retrySeconds}`;
  }
}

describe('the limits of a sender', () => {
  it('hold the candidates that it has and not those that are judged, and leave others alone', () => {
    const senders = sendersOf({ candidates: 2 });
    senders.add('a', 1);
    expect(refusalOf(senders, 'a')).toBe('room');
    senders.add('a', 1);
    expect([refusalOf(senders, 'a'), refusalOf(senders, 'b')]).toEqual(['SENDER_LIMIT candidates 5', 'room']);
    senders.remove('a', 1);
    expect(refusalOf(senders, 'a')).toBe('room');
  });

  it('hold the bytes with those of the next candidate, to the byte', () => {
    const senders = sendersOf({ bytes: 100 });
    senders.add('a', 60);
    expect([refusalOf(senders, 'a', 40), refusalOf(senders, 'a', 41)]).toEqual(['room', 'SENDER_LIMIT bytes 5']);
    senders.remove('a', 60);
    expect([refusalOf(senders, 'a', 100), senders.loadOf('a').bytes]).toEqual(['room', 0]);
  });

  it('hold CPU seconds on average: what is above is paid back at the rate of the limit', () => {
    const senders = sendersOf({ cpuSeconds: 30 });
    senders.charge('a', 29);
    expect([senders.heldMs('a'), refusalOf(senders, 'a')]).toEqual([0, 'room']);
    senders.charge('a', 61);
    // 60 above the limit are two minutes of it, not one.
    expect([senders.heldMs('a'), refusalOf(senders, 'a')]).toEqual([120_000, 'SENDER_LIMIT cpu_seconds 120']);
    expect([senders.heldMs('b'), refusalOf(senders, 'b')]).toEqual([0, 'room']);
    nowMs = 119_000;
    expect(refusalOf(senders, 'a')).toBe('SENDER_LIMIT cpu_seconds 1');
    nowMs = 120_001;
    expect([senders.heldMs('a'), refusalOf(senders, 'a')]).toEqual([0, 'room']);
    // Time without work is not saved up.
    nowMs = 10_000_000;
    senders.charge('a', 45);
    expect(senders.heldMs('a')).toBe(30_000);
  });

  it('name no time that is already over', () => {
    const senders = sendersOf({ cpuSeconds: 30 });
    senders.charge('a', 30);
    expect([senders.heldMs('a'), refusalOf(senders, 'a')]).toEqual([1, 'SENDER_LIMIT cpu_seconds 1']);
  });

  it('are none where nobody sets them', () => {
    const senders = sendersOf({});
    for (let index = 0; index < 20; index += 1) senders.add('a', 2 ** 40);
    senders.charge('a', 1e9);
    expect([refusalOf(senders, 'a', 2 ** 40), senders.heldMs('a')]).toEqual(['room', 0]);
  });
});
