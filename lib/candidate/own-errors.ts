import type { ErrorCode } from '../support/error-codes';

/** Errors that a candidate causes, and how far it came; every other error is the machine's or the search's. */
export const ownErrors: Readonly<Partial<Record<ErrorCode, 'not-compiled' | 'not-launched'>>> = {
  COMPILE_FAILED: 'not-compiled',
  SYMBOL_MISSING: 'not-compiled',
  RDC_UNSUPPORTED: 'not-compiled',
  SOURCE_DEPENDS_ON_REPRODUCER: 'not-compiled',
  LAUNCH_IMPOSSIBLE: 'not-launched',
  LAUNCH_REFUSED: 'not-launched',
  KERNARG_MISMATCH: 'not-launched',
  FORMULA_INVALID: 'not-launched',
  ARGUMENT_VALUE: 'not-launched',
  ARGUMENT_UNTYPED: 'not-launched',
};
