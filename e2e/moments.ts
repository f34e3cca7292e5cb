/** A failure at a given byte of a transfer. */
export interface Moment {
  verb: 'push' | 'pull';
  victim: 'nginx' | 'client' | 'network';
  /** Fraction of the bytes of an undisturbed transfer; above 1 is after its end. */
  share: number;
  /**
   * If true, the victim stays dead until the client has ended; otherwise it returns at once, and the client's retry
   * finds it.
   */
  lasting: boolean;
  /** Delay before the client is killed, so that it has processed its last bytes. */
  laterMs: number;
  encrypted: boolean;
}

const verbs = ['push', 'pull'] as const;
const victims = ['nginx', 'client', 'network'] as const;

/** Number and seed of drawn moments: a few in CI, any number at night (docs/contributing/robustness.md). */
const momentCount = Number(process.env['KERNLOOP_MOMENTS'] ?? 10);
export const momentSeed = Number(process.env['KERNLOOP_MOMENTS_SEED'] ?? 19);

/** Cycles through victims and verbs, so that a few moments cover all of them. */
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

/** A random number generator with the same numbers on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
