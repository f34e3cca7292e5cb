import { senderLimits, serviceOptionsSchema } from './options';

const limitsOf = (given: object, senders: number) =>
  senderLimits(serviceOptionsSchema.parse({ serve: './judge.sock', ...given }), senders);

describe('the limits of each sender', () => {
  it('are equal shares of what all may have, and no CPU time, where nobody says one', () => {
    expect(limitsOf({}, 1)).toEqual({ candidates: 10_000, bytes: 2 ** 31, cpuSeconds: null });
    expect(limitsOf({}, 3)).toEqual({ candidates: 3333, bytes: Math.floor(2 ** 31 / 3), cpuSeconds: null });
    // A share is never nothing.
    expect(limitsOf({}, 20_000).candidates).toBe(1);
  });

  it('are those that are given, for each sender', () =>
    expect(limitsOf({ senderCandidates: 200, senderMib: 16, senderCpuSeconds: 30 }, 3)).toEqual({
      ...{ candidates: 200, bytes: 16 * 2 ** 20, cpuSeconds: 30 },
    }));

  it.each([{ senderCandidates: 0 }, { senderCandidates: 10_001 }, { senderMib: 2049 }, { senderCpuSeconds: 0 }])(
    'refuse %j',
    (given) => expect(() => limitsOf(given, 1)).toThrow(),
  );
});
