import { statSync } from 'node:fs';
import { z } from 'zod';
import { homeFolder } from '../judge/home';
import { judgementSchema, type Judgement } from '../judge/judgement-json';
import { isPublicKey, isSealedBy, publicKeyIn } from '../judge/seal';
import type { Environment } from '../support/environment';
import { KernloopError, messageOf } from '../support/error';
import { readRegularFile } from '../support/regular-file';
import { describeIssues, readText } from '../support/schema';
import { strictJson } from '../support/strict-json';

/** Bytes of a report that are read. A judge writes at most some hundred lines into one. */
const mostBytes = 16 * 1024 * 1024;

/** The signature covers the judgement as it is in the file, whatever this version knows of it. */
const envelopeSchema = z.strictObject({
  schema: z.literal('kernloop.sealed-judgement/1'),
  judgement: z.looseObject({}),
  public_key: z.string(),
  signature: z.string(),
});

/** Key of the judge that is trusted: never the one that a report names. */
export function trustedKey(
  { publicKey, home }: { publicKey?: string | undefined; home?: string | undefined },
  env: Environment,
): string {
  if (publicKey !== undefined) {
    const text = isPublicKey(publicKey) ? publicKey : readText(publicKey, 'FILE_UNREADABLE', keyHint).trim();
    return requireKey(text, publicKey);
  }
  const folder = homeFolder(home, env);
  const text = publicKeyIn(folder);
  if (text !== undefined) return requireKey(text, `key.pub of ${folder}`);
  throw new KernloopError(
    'FILE_UNREADABLE',
    `${folder} has no key.pub, so that no judge is known whose reports are trusted`,
    keyHint,
  );
}

const keyHint = 'name the key of the judge with --public-key: key.pub in its home, or `public_key` of `judge --json`';

function requireKey(text: string, where: string): string {
  if (isPublicKey(text)) return text;
  throw new KernloopError('USAGE', `${where} is no key of a judge: 32 bytes in base64url, 43 characters`, keyHint);
}

/** The judgement in a report that the trusted judge has signed, or else what is wrong with the report. */
export function signedJudgement(file: string, trusted: string): Judgement | string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) {
    throw new KernloopError('FILE_UNREADABLE', `${file} does not exist`, 'name a report that `kernloop judge` wrote');
  }
  if (found.size > mostBytes) return `it is larger than ${mostBytes} bytes`;
  const value = valueIn(readRegularFile(file));
  if (typeof value === 'string') return value;
  const envelope = envelopeSchema.safeParse(value.json);
  if (!envelope.success) return describeIssues(envelope.error, envelopeSchema);
  const { public_key: publicKey, judgement } = envelope.data;
  if (publicKey !== trusted)
    return `public_key: ${JSON.stringify(publicKey.slice(0, 64))} is not the trusted ${trusted}`;
  if (!isSealedBy(envelope.data, trusted))
    return 'signature: it is not that of this judgement, which was edited or taken from elsewhere';
  const parsed = judgementSchema.safeParse(judgement);
  if (!parsed.success) return `judgement: ${describeIssues(parsed.error, judgementSchema)}`;
  if (parsed.data.verdict === 'pass' && parsed.data.decided_by === null)
    return 'judgement.decided_by: a pass names what decided it';
  return parsed.data;
}

function valueIn(bytes: Buffer): { json: unknown } | string {
  try {
    return { json: strictJson(bytes) };
  } catch (error) {
    return `it is not JSON of a judge: ${messageOf(error)}`;
  }
}
