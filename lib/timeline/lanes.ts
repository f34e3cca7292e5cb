/** A lane, in which each slice follows the one before or is nested in it. */
interface Lane {
  readonly index: number;
  /** Ends of its open slices, the outermost first. */
  readonly ends: number[];
  /** Whether the outermost slice has no length: for viewers it lasts as long as others begin at its time. */
  isPoint: boolean;
  program: number;
}

function isOver({ ends, isPoint }: Lane, time: number): boolean {
  const [end = 0] = ends;
  return end < time || (end === time && !isPoint);
}

/**
 * Lanes of a unit (a processor runs several programs at once). Slices come in the order of their starts. A slice is
 * nested in another only if both belong to one program and it ends no later; any other overlapping slice gets a
 * separate lane. No track then has slices that overlap without nesting, which importers drop or move to extra tracks.
 */
export class Lanes {
  private readonly lanes: Lane[] = [];
  /** Used lanes by the end of their slices, and free lanes by number, the smallest first. */
  private readonly used = new Heap<Lane>(
    (a, b) => (a.ends[0] ?? 0) - (b.ends[0] ?? 0) || Number(a.isPoint) - Number(b.isPoint),
  );
  private readonly free = new Heap<Lane>((a, b) => a.index - b.index);
  private readonly ofProgram = new Map<number, Lane>();

  get count(): number {
    return this.lanes.length;
  }

  /** Latest end of a placed slice. */
  lastEnd = -Infinity;

  place(program: number, start: number, end: number): number {
    this.release(start);
    if (end > this.lastEnd) this.lastEnd = end;
    const own = this.ofProgram.get(program);
    if (own) {
      while (own.ends.length > 1 && (own.ends.at(-1) ?? 0) <= start) own.ends.pop();
      if (end <= (own.ends.at(-1) ?? -Infinity)) {
        own.ends.push(end);
        return own.index;
      }
    }
    const lane = this.free.pop() ?? this.added();
    lane.ends.push(end);
    lane.isPoint = end === start;
    lane.program = program;
    this.used.push(lane);
    this.ofProgram.set(program, lane);
    return lane.index;
  }

  private release(start: number): void {
    for (let first = this.used.first; first !== undefined && isOver(first, start); first = this.used.first) {
      this.used.pop();
      first.ends.length = 0;
      if (this.ofProgram.get(first.program) === first) this.ofProgram.delete(first.program);
      this.free.push(first);
    }
  }

  private added(): Lane {
    const lane = { index: this.lanes.length, ends: [], isPoint: false, program: 0 };
    this.lanes.push(lane);
    return lane;
  }
}

/** A heap with the smallest item first. */
export class Heap<T> {
  private readonly items: T[] = [];

  constructor(private readonly compare: (a: T, b: T) => number) {}

  get first(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    const { items } = this;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent];
      if (above === undefined || this.compare(above, item) <= 0) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const { items } = this;
    const [first] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [items[child], items[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && this.compare(right, left) < 0) child++;
      const below = items[child];
      if (below === undefined || this.compare(last, below) <= 0) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
    return first;
  }
}
