import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import type { Address } from './address';

/** Variable with the value of the header `Authorization`: "Bearer …", "Basic …". */
export const authorizationVariable = 'KERNLOOP_STORE_AUTHORIZATION';

const maxHeaderBytes = 8192;

/**
 * Value of the header `Authorization`: from the environment, else the only line that the credential helper prints, else
 * none. It appears in no message, log or file, and is never sent in clear text.
 */
export async function authorizationFor(
  address: Address,
  helper: readonly string[] | undefined,
  deps: Deps,
): Promise<string | undefined> {
  const value = deps.env[authorizationVariable] || (helper && (await askHelper(address, helper, deps)));
  if (value === undefined || value === '') return undefined;
  const shown = deps.env[authorizationVariable] ? authorizationVariable : `the credential helper ${helper?.[0] ?? ''}`;
  if (value.length > maxHeaderBytes || !/^[\x21-\x7e]+( [\x20-\x7e]+)?$/.test(value)) {
    throw new KernloopError(
      'REMOTE_CREDENTIALS',
      `${shown} gives no value of an Authorization header`,
      'give one line of ASCII, such as "Bearer <token>"',
    );
  }
  if (!address.isEncrypted && !address.isLocal) {
    throw new KernloopError(
      'REMOTE_CREDENTIALS',
      `${address.url} is not encrypted, and there are credentials for it: anybody on the way could read them`,
      'use https:, or leave the credentials out',
    );
  }
  return value;
}

async function askHelper(address: Address, helper: readonly string[], deps: Deps): Promise<string> {
  const [program = '', ...args] = helper;
  const lines: string[] = [];
  const ended = await deps.run(program, [...args, address.url], {
    onStdoutLine: (line) => lines.push(line),
    timeoutMs: 60_000,
  }).result;
  throwIfInterrupted(deps.signal);
  const [line] = lines;
  if (ended.exitCode === 0 && lines.length === 1 && line !== undefined) return line;
  const why = ended.startError ?? (ended.timedOut ? 'no end after 60 s' : `exit code ${String(ended.exitCode)}`);
  throw new KernloopError(
    'REMOTE_CREDENTIALS',
    `the credential helper ${program} gave no answer: ${ended.exitCode === 0 ? `${lines.length} lines` : why}`,
    'let it print one line: the value of the Authorization header for the URL that is its last argument',
  );
}
