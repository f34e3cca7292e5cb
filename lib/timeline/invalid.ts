import { KernloopError } from '../support/error';

/** Error for an inconsistent file of events, with the field and its position. */
export function invalidEvents(path: string, what: string, hint?: string): KernloopError {
  return new KernloopError(
    'TRACE_INVALID',
    `${path}: ${what}`,
    hint ?? 'it was cut off or damaged, or it is no file of events: export it once more',
  );
}
