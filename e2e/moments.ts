/** Something that goes wrong once so many bytes of a transfer have come through. */
export interface Moment {
  verb: 'push' | 'pull';
  victim: 'nginx' | 'client' | 'network';
  /** Of the bytes that the transfer has when nothing happens to it; a little more than all of them is after its end. */
  share: number;
  /** The victim stays dead until the client has ended; else it is back at once, and the client's next try finds it. */
  lasting: boolean;
  /** The client is killed so much later: what it does with the last bytes comes after them. */
  laterMs: number;
  encrypted: boolean;
}

const verbs = ['push', 'pull'] as const;
const victims = ['nginx', 'client', 'network'] as const;

/** How many are drawn, and from which seed: a few in CI, and as many as one likes by night (docs/contributing/robustness.md). */
const momentCount = Number(process.env['KERNLOOP_MOMENTS'] ?? 10);
export const momentSeed = Number(process.env['KERNLOOP_MOMENTS_SEED'] ?? 19);

/** Each victim and verb in turn, so that few moments have all of them. */
export function drawMoments(): Moment[] {
  const random = mulberry32(momentSeed);
  return Array.from({ length: momentCount }, (_, index) => ({
    verb: verbs[Math.floor(index / 3) % 2] ?? 'push',
    victim: victims[index % 3] ?? 'nginx',
    share: random() * 1.03,
    lasting: random() < 0.5,
    laterMs: random() < 0.5 ? 0 : Math.floor(random() * 300),
    encrypted: random() < 0.5,
  }));
}

/** The same numbers on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
