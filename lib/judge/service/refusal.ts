import { asKernloopError, KernloopError } from '../../support/error';
import type { ErrorCode } from '../../support/error-codes';
import { SenderLimit } from '../senders';
import type { ErrorBody } from './wire';

/** An error with the HTTP status that fits better than that of its code. */
export class Refusal extends KernloopError {
  constructor(
    readonly status: number,
    what: string,
    hint = '',
    code: ErrorCode = 'REQUEST_REFUSED',
  ) {
    super(code, what, hint);
  }
}

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  CANDIDATE_REFUSED: 400,
  CONFIG_INVALID: 400,
  KERNEL_UNKNOWN: 400,
  TOKEN_REFUSED: 401,
  CANDIDATE_UNKNOWN: 404,
  CANDIDATE_ID_TAKEN: 409,
  JUDGE_FULL: 429,
  SENDER_LIMIT: 429,
  JUDGE_CLOSED: 503,
};

export const statusOf = (error: KernloopError): number =>
  error instanceof Refusal ? error.status : (statuses[error.code] ?? 500);

export function errorBody(given: unknown): ErrorBody {
  const error = asKernloopError(given);
  const { code, what, hint } = error;
  const limit = error instanceof SenderLimit ? { limit: error.limit, retry_seconds: error.retrySeconds } : {};
  return { code, message: what, next: hint, ...limit };
}
