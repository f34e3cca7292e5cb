import { Heap, Lanes } from './lanes';

/** A repeatable random number generator. */
function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

describe('lanes of a unit', () => {
  it('nests within the same program only, and puts what overlaps elsewhere', () => {
    const lanes = new Lanes();
    const placed = [
      lanes.place(1, 0, 100),
      lanes.place(1, 10, 20), // within
      lanes.place(2, 12, 15), // within, but of another program
      lanes.place(1, 20, 100), // ends with the outer one
      lanes.place(1, 30, 101), // ends after the outer one
      lanes.place(3, 100, 110), // after the first has ended
    ];
    expect(placed).toEqual([0, 0, 1, 0, 1, 0]);
  });

  it('puts two of no length at one time beside each other, unless they are of one program', () => {
    const lanes = new Lanes();
    // A timeline of a quarter year: doubles this large have no halves.
    const at = 2 ** 53 - 9;
    const points = [1, 2, 2, 3].map((program) => lanes.place(program, at, at));
    expect(points).toEqual([0, 1, 1, 2]);
    expect([lanes.place(4, at + 1, at + 2), lanes.place(5, at + 1, at + 1)]).toEqual([0, 1]);
  });

  it.each([1, 2, 3, 4, 5])(
    'never has slices of a lane overlap without nesting, and needs no lane too many (%i)',
    (seed) => {
      const next = numbers(seed);
      const slices = Array.from({ length: 2000 }, () => {
        const start = next(1000);
        return { program: next(20), start, end: start + next(3) * next(30) };
      }).sort((a, b) => a.start - b.start || b.end - a.end);
      const lanes = new Lanes();
      const open = new Map<number, { program: number; start: number; end: number }[]>();
      let most = 0;
      for (const { program, start, end } of slices) {
        const lane = lanes.place(program, start, end);
        const stack = (open.get(lane) ?? []).filter(
          (outer) => outer.end > start || (outer.start === start && outer.end === start),
        );
        for (const outer of stack) {
          expect(outer.end).toBeGreaterThanOrEqual(end);
          expect(outer.program).toBe(program);
        }
        open.set(lane, [...stack, { program, start, end }]);
        most = Math.max(
          most,
          slices.filter((other) => other.start <= start && (other.end > start || other.start === start)).length,
        );
      }
      expect(lanes.count).toBeLessThanOrEqual(most);
    },
  );

  it('has the least of a heap first', () => {
    const next = numbers(7);
    const heap = new Heap<number>((a, b) => a - b);
    const values = Array.from({ length: 500 }, () => next(100));
    for (const value of values) heap.push(value);
    expect(values.map(() => heap.pop())).toEqual([...values].sort((a, b) => a - b));
    expect(heap.pop()).toBeUndefined();
  });
});
