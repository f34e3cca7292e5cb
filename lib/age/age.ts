import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import type { ProgramInput } from '../support/stdin';
import type { RunResult } from '../support/exec';
import { Readable } from 'node:stream';

/** Path of a file with the public keys that packs and pushes are encrypted for. */
export const recipientsVariable = 'KERNLOOP_AGE_RECIPIENTS';
/** Path of a file with the private key, or the key itself, which is then passed to `age` on stdin. */
export const identityVariable = 'KERNLOOP_AGE_IDENTITY';

const firstLine = Buffer.from('age-encryption.org/v1\n');

/** Whether a file that begins with `start` was made by `age`. */
export const isEncrypted = (start: Buffer): boolean => start.subarray(0, firstLine.length).equals(firstLine);

/** Path of the recipients file from the flag, else from the environment; undefined if nothing is to be encrypted. */
export function recipientsFrom(named: string | undefined, env: Environment): string | undefined {
  const path = named ?? (env[recipientsVariable] || undefined);
  if (path === undefined) return undefined;
  const file = resolve(path);
  if (existsSync(file)) return file;
  if (/^(age1|ssh-)/.test(basename(file))) {
    throw new KernloopError(
      'AGE_RECIPIENTS',
      'a public key was given where the name of a file of them is wanted',
      'write it into a file, one key a line, and name that',
    );
  }
  throw new KernloopError(
    'AGE_RECIPIENTS',
    `there is no file of recipients ${file}`,
    'write the public keys of those who may read it there, one a line (`age-keygen -y key.txt` prints one)',
  );
}

/** Encrypts a file for the public keys in the recipients file. */
export async function encryptFile(from: string, to: string, recipients: string, deps: Deps): Promise<void> {
  const ended = await runAge(['--encrypt', '--recipients-file', recipients, '--output', to, from], undefined, deps);
  if (ended.exitCode === 0) return;
  throw new KernloopError(
    'AGE_RECIPIENTS',
    `age did not encrypt for the recipients in ${recipients}: ${saidBy(ended)}`,
    'the file has one public key a line (age1…, ssh-ed25519 …), and lines of comment that begin with #',
  );
}

const wrongIdentity = /no identity matched|incorrect identity|incorrect passphrase/i;
const unusableIdentity = /^reading "/;

/**
 * Decrypts a file. On an error nothing is left at `to`, whose folder the caller removes. `what` names the file in
 * messages.
 */
export async function decryptFile(from: string, to: string, what: string, deps: Deps): Promise<void> {
  const identity = deps.env[identityVariable] || undefined;
  if (identity === undefined) {
    throw new KernloopError(
      'AGE_IDENTITY',
      `${what} is encrypted, and no key was given`,
      `set ${identityVariable} to the file that age-keygen wrote`,
    );
  }
  const isKey = identity.startsWith('AGE-SECRET-KEY-');
  const input: ProgramInput | undefined = isKey
    ? { kind: 'stream', open: () => Readable.from([`${identity}\n`]) }
    : undefined;
  const key = isKey ? '-' : resolve(identity);
  const shown = isKey ? `the key in ${identityVariable}` : key;
  const ended = await runAge(['--decrypt', '--identity', key, '--output', to, from], input, deps);
  if (ended.exitCode === 0) return;
  const said = saidBy(ended);
  if (wrongIdentity.test(said)) {
    throw new KernloopError(
      'AGE_IDENTITY',
      `${what} is not encrypted for ${shown}, or its header is damaged`,
      'ask its author to encrypt it for your key, too: `age-keygen -y FILE` prints the public one',
    );
  }
  if (unusableIdentity.test(said))
    throw new KernloopError(
      'AGE_IDENTITY',
      `${shown} is no key that age takes: ${said}`,
      'name the file that `age-keygen` wrote',
    );
  throw new KernloopError(
    'AGE_CORRUPT',
    `${what} is damaged: it does not decrypt to what was encrypted (${said})`,
    'copy it again from where it was made; nothing of it was kept',
  );
}

async function runAge(args: readonly string[], input: ProgramInput | undefined, deps: Deps): Promise<RunResult> {
  // The key must not reach child processes of `age`.
  const ended = await deps.run('age', args, {
    env: { [identityVariable]: undefined },
    ...(input === undefined ? {} : { input }),
  }).result;
  throwIfInterrupted(deps.signal);
  if (ended.startError === null) return ended;
  throw new KernloopError(
    'ENVIRONMENT_TOOL_MISSING',
    `age, which encrypts, cannot be started (${ended.startError})`,
    'install it (`apt-get install age`, https://age-encryption.org), or put it into PATH',
  );
}

/** Error text of `age`, without its request to report bugs. */
function saidBy({ stderrTail, exitCode, signal }: RunResult): string {
  const lines = stderrTail.split('\n').filter((line) => line.startsWith('age: '));
  const said = lines.map((line) => line.replace(/^age: (error: )?/, '')).filter((line) => !line.startsWith('report '));
  return said.join('; ') || `it ended with ${signal ?? exitCode ?? 'nothing'}`;
}
