import { KernloopError } from '../support/error';

/** Error that a stage ends with. */
export async function failure(promise: Promise<unknown>): Promise<KernloopError> {
  const error: unknown = await promise.then(
    () => new Error('it passed'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof KernloopError)) throw error;
  return error;
}

/** Error of a function that throws synchronously. */
export function thrown(act: () => unknown): KernloopError {
  try {
    act();
  } catch (error) {
    if (error instanceof KernloopError) return error;
    throw error;
  }
  throw new Error('it passed');
}
