/**
 * Works on at most `atATime` items in parallel and yields the results in the order of the items. If the consumer stops
 * or an item fails, it starts no more work and waits for what is under way.
 */
export async function* inOrder<T, R>(
  items: readonly T[],
  atATime: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  let next = 0;
  const start = (): void => {
    const item = items[next];
    if (next >= items.length) return;
    next += 1;
    const begun = work(item as T);
    // Marks the failure as handled; the loop reports it in its turn.
    begun.catch(() => undefined);
    underWay.push(begun);
  };
  try {
    while (underWay.length < atATime && next < items.length) start();
    for (let first = underWay.shift(); first !== undefined; first = underWay.shift()) {
      const done = await first;
      start();
      yield done;
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}
