import { KernloopError } from './error';

export function throwIfInterrupted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new KernloopError(
    'INTERRUPTED',
    `stopped by ${String(signal.reason)}`,
    'run it again: what was finished is kept, and nothing was left half-written',
  );
}

/** Runs work whose finished parts are kept. An interruption reports how much is `kept`, and what `again` does. */
export async function tellingWhatIsKept<T>(
  kept: () => string,
  work: () => Promise<T>,
  again: () => string = () => 'run it again for the rest',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KernloopError) || error.code !== 'INTERRUPTED') throw error;
    throw new KernloopError('INTERRUPTED', error.what, `${kept()}, and nothing was left half-written; ${again()}`, {
      cause: error,
    });
  }
}
