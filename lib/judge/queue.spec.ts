import { Queue } from './queue';

const item = (name: string, priority = 0, group = 'a') => ({ name, priority, group });
const taken = (queue: Queue<ReturnType<typeof item>>, count: number): (string | undefined)[] =>
  Array.from({ length: count }, () => queue.take()?.name);

describe('the order of candidates', () => {
  it('is by priority, then by arrival', () => {
    const queue = new Queue<ReturnType<typeof item>>();
    for (const one of [item('first'), item('second'), item('urgent', 5), item('idle', -1)]) queue.push(one);
    expect(taken(queue, 5)).toEqual(['urgent', 'first', 'second', 'idle', undefined]);
  });

  it('lets groups of one priority take turns, however many one of them sends', () => {
    const queue = new Queue<ReturnType<typeof item>>();
    for (const name of ['a1', 'a2', 'a3', 'a4']) queue.push(item(name));
    expect(taken(queue, 1)).toEqual(['a1']);
    queue.push(item('b1', 0, 'b'));
    queue.push(item('b2', 0, 'b'));
    expect(taken(queue, 5)).toEqual(['b1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('passes over a group that may not begin, which has its turn when it may', () => {
    const queue = new Queue<ReturnType<typeof item>>();
    for (const one of [item('a1', 5), item('b1', 0, 'b'), item('b2', 0, 'b')]) queue.push(one);
    const isOfB = (group: string): boolean => group === 'b';
    expect([queue.take(isOfB)?.name, queue.take(isOfB)?.name, queue.take(isOfB)?.name]).toEqual([
      'b1',
      'b2',
      undefined,
    ]);
    expect([[...queue.groups()], queue.length]).toEqual([['a'], 1]);
    // A turn is not forgotten while something waits.
    queue.push(item('b3', 5, 'b'));
    expect(taken(queue, 2)).toEqual(['a1', 'b3']);
  });

  it('takes a priority ahead of a turn', () => {
    const queue = new Queue<ReturnType<typeof item>>();
    for (const one of [item('a1', 1), item('a2', 1), item('b1', 0, 'b')]) queue.push(one);
    expect(taken(queue, 3)).toEqual(['a1', 'a2', 'b1']);
  });

  it('forgets what is removed', () => {
    const queue = new Queue<ReturnType<typeof item>>();
    const gone = item('gone');
    queue.push(gone);
    queue.push(item('stays'));
    expect([queue.remove(gone), queue.remove(gone), queue.length]).toEqual([true, false, 1]);
    expect(taken(queue, 2)).toEqual(['stays', undefined]);
  });
});
