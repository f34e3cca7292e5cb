import { KernloopError } from '../support/error';

/** The error that a stage ended with. */
export async function failure(promise: Promise<unknown>): Promise<KernloopError> {
  const error: unknown = await promise.then(
    () => new Error('it passed'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof KernloopError)) throw error;
  return error;
}
