import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KernloopError, systemCode } from '../../support/error';
import { readRegularFile } from '../../support/regular-file';
import { writePrivate } from '../private-file';

/** Sender of a request. */
export interface Sender {
  /** Senders of one group see each other's candidates, and take turns with other groups. */
  readonly group: string;
  /** A group that chose the priority of its candidates alone would starve the others. */
  readonly highestPriority: number;
}

export interface Tokens {
  /** Number of groups that share the judge. */
  readonly groups: number;
  senderOf(authorization: string | undefined): Sender;
}

interface Known extends Sender {
  readonly digest: Buffer;
}

const alone: Sender = { group: '', highestPriority: 100 };

/** Everybody who can connect is one group: only the owner can connect to a Unix socket of mode 0600. */
export const noTokens: Tokens = { groups: 1, senderOf: () => alone };

/** The token of the judge itself, made at its first start and kept in its home. Returns the file as well. */
export function ownToken(home: string): { tokens: Tokens; file: string } {
  const file = join(home, 'token');
  if (!existsSync(file)) writePrivate(file, `${randomBytes(32).toString('base64url')}\n`);
  const token = readPrivate(file).trim();
  if (!form.test(token)) throw invalid(`${file} holds no token`, 'remove it, and the judge makes another');
  return { tokens: tokensOf([{ ...alone, digest: digestOf(token) }]), file };
}

/** Tokens of a file that the user wrote. */
export const tokensIn = (file: string): Tokens => tokensOf(linesOf(file, readPrivate(file)));

const form = /^[\x21-\x7e]{16,512}$/;
const line = /^([A-Za-z0-9][\w.-]{0,63})[ \t]+(\S+)(?:[ \t]+(-?\d{1,3}))?$/;

function linesOf(file: string, text: string): Known[] {
  const known: Known[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    const where = `line ${index + 1} of ${file}`;
    const [, group = '', token = '', priority = '0'] = line.exec(content) ?? [];
    if (!form.test(token) || Math.abs(Number(priority)) > 100) throw invalid(`${where} is no name with a token`);
    const digest = digestOf(token);
    if (known.some((one) => one.digest.equals(digest))) throw invalid(`${where} repeats a token`);
    known.push({ group, highestPriority: Number(priority), digest });
  }
  if (known.length === 0) throw invalid(`${file} holds no token`);
  return known;
}

function tokensOf(known: readonly Known[]): Tokens {
  return {
    groups: new Set(known.map(({ group }) => group)).size,
    senderOf: (authorization) => {
      const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
      const digest = digestOf(token ?? '');
      // All tokens are compared, and digests of one length, so that the time tells nothing about them.
      const [sender] = known.filter((one) => timingSafeEqual(one.digest, digest));
      if (token !== undefined && sender) return sender;
      const what = token === undefined ? 'the request has no token' : 'the token is not one of this judge';
      throw new KernloopError('TOKEN_REFUSED', what, '');
    },
  };
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const invalid = (what: string, hint = ''): KernloopError => new KernloopError('TOKENS_INVALID', what, hint);

function readPrivate(file: string): string {
  try {
    const { mode, uid } = statSync(file);
    if ((mode & 0o077) !== 0 || ![0, process.getuid?.()].includes(uid))
      throw invalid(`others can read ${file}, or it is not yours`);
    return readRegularFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw invalid(`${file} does not exist`, 'name a file that exists');
    throw error;
  }
}
