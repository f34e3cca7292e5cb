import { KernloopError } from './error';
import { stopAll } from './exec';

/** What a stopped child gets to clean up before it is killed. */
const graceMs = 3000;

let controller: AbortController | undefined;

/** One signal a process: the first SIGINT, SIGTERM or SIGHUP stops every child, and aborts it. */
export function interruption(): AbortSignal {
  if (controller) return controller.signal;
  const created = new AbortController();
  controller = created;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      created.abort(name);
      stopAll('SIGTERM');
      setTimeout(() => stopAll('SIGKILL'), graceMs).unref();
    });
  }
  return created.signal;
}

export function throwIfInterrupted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new KernloopError(
    'INTERRUPTED',
    `stopped by ${String(signal.reason)}`,
    'run it again: what was finished is kept, and nothing was left half-written',
  );
}

/** Does work in parts, each of which stays once it is done: who stops it is told how many, and what running it `again` does. */
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
