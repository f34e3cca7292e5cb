/**
 * Does work on each item, at most so many at a time, and gives what came of it in the order of the items. Whoever stops listening
 * waits for what is under way, and starts no more; an error ends it the same way.
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
    // It is looked at in its turn; until then its failure is nobody's.
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
