import { inOrder } from './in-order';

/** Work that the test ends explicitly. */
class Work {
  started: number[] = [];
  private readonly ends = new Map<number, { end: (value: string) => void; fail: (error: Error) => void }>();
  readonly run = (item: number): Promise<string> => {
    this.started.push(item);
    return new Promise((end, fail) => this.ends.set(item, { end, fail }));
  };
  end(item: number): void {
    this.ends.get(item)?.end(`done ${item}`);
  }
  fail(item: number): void {
    this.ends.get(item)?.fail(new Error(`failed ${item}`));
  }
}

describe('inOrder', () => {
  it('gives results in the order of the items, whichever ends first', async () => {
    const work = new Work();
    const results = inOrder([1, 2, 3], 2, work.run);
    const first = results.next();
    expect(work.started).toEqual([1, 2]);
    work.end(2);
    work.end(1);
    expect(await first).toEqual({ value: 'done 1', done: false });
    expect(work.started).toEqual([1, 2, 3]);
    work.end(3);
    expect((await results.next()).value).toBe('done 2');
    expect((await results.next()).value).toBe('done 3');
    expect((await results.next()).done).toBe(true);
  });

  it('starts no more, and leaves nothing under way, when nobody listens any longer', async () => {
    const work = new Work();
    const results = inOrder([1, 2, 3, 4], 2, work.run);
    const first = results.next();
    work.end(1);
    await first;
    let ended = false;
    const returned = results.return(undefined).then(() => (ended = true));
    await Promise.resolve();
    work.end(2);
    expect(ended).toBe(false);
    work.end(3);
    await returned;
    expect(work.started).toEqual([1, 2, 3]);
  });

  it('throws the error of an item in its turn', async () => {
    const work = new Work();
    const results = inOrder([1, 2], 2, work.run);
    const first = results.next();
    work.fail(2);
    work.end(1);
    expect((await first).value).toBe('done 1');
    await expect(results.next()).rejects.toThrow('failed 2');
  });

  it('gives nothing for nothing', async () => {
    expect((await inOrder([], 4, () => Promise.resolve(1)).next()).done).toBe(true);
  });
});
