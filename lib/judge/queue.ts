/** Something that waits for its turn. */
export interface Waiting {
  readonly priority: number;
  /** Groups of equal priority take turns, so that one that sends thousands does not starve the others. */
  readonly group: string;
}

/** Order of work: by priority, then the group whose turn was longest ago, then by arrival. */
export class Queue<T extends Waiting> {
  private readonly items: T[] = [];
  /** Number of the turn that each group had last. */
  private readonly turns = new Map<string, number>();
  private turn = 0;

  get length(): number {
    return this.items.length;
  }

  /** Groups of which something waits. */
  groups(): Set<string> {
    return new Set(this.items.map(({ group }) => group));
  }

  push(item: T): void {
    this.items.push(item);
  }

  /** `mayBegin`: whether the next one may be of this group. */
  take(mayBegin: (group: string) => boolean = () => true): T | undefined {
    if (this.items.length === 0) this.turns.clear();
    const next = this.items.reduce<T | undefined>((best, item) => {
      if (best !== undefined && !this.isBefore(item, best)) return best;
      return mayBegin(item.group) ? item : best;
    }, undefined);
    if (next === undefined) return undefined;
    this.remove(next);
    this.turn += 1;
    this.turns.set(next.group, this.turn);
    return next;
  }

  /** False if it does not wait any more. */
  remove(item: T): boolean {
    const at = this.items.indexOf(item);
    if (at >= 0) this.items.splice(at, 1);
    return at >= 0;
  }

  /** Items after all that came earlier only if strictly before. */
  private isBefore(a: T, b: T): boolean {
    if (a.priority !== b.priority) return a.priority > b.priority;
    return (this.turns.get(a.group) ?? 0) < (this.turns.get(b.group) ?? 0);
  }
}
