import type { KernloopError } from '../support/error';

/** Output of a verb on stdout with --json: one document in one of three shapes. */
export const format = 'kernloop.output/1';

export function resultDocument(verb: string, exitCode: number, result: unknown): object {
  return { schema: format, verb, exit_code: exitCode, result };
}

export function errorDocument(verb: string | null, error: KernloopError): object {
  return { schema: format, verb, exit_code: error.exitCode, error: error.toJSON() };
}

export function configurationDocument(
  verb: string,
  options: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, string>>,
): object {
  return { schema: format, verb, options, origins };
}
