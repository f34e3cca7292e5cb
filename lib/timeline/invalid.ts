import { KernloopError } from '../support/error';

/** A file of events that does not add up: which field, and where. */
export function invalidEvents(path: string, what: string, hint?: string): KernloopError {
  return new KernloopError(
    'TRACE_INVALID',
    `${path}: ${what}`,
    hint ?? 'it was cut off or damaged, or it is no file of events: export it once more',
  );
}
