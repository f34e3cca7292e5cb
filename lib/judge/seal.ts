import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { KernloopError, systemCode } from '../support/error';
import { readRegularFile } from '../support/regular-file';
import { judgementSchema, type Judgement } from './judgement-json';

/** A judgement with the signature of the judge that made it: Ed25519 over the canonical JSON of the judgement. */
export const sealedSchema = z
  .strictObject({
    schema: z.literal('kernloop.sealed-judgement/1'),
    judgement: judgementSchema,
    public_key: z.string().describe('Key of the judge: 32 bytes in base64url, as in a JWK (RFC 8037).'),
    signature: z.string().describe('Ed25519 (RFC 8032), base64url, over the canonical JSON of judgement.'),
  })
  .meta({ title: 'sealed judgement', description: 'A verdict of `kernloop judge`, signed.' });

/** A judgement and its signature. */
export type Sealed = z.output<typeof sealedSchema>;

/** Key of a judge. The private part never leaves its home. */
export interface SigningKey {
  readonly publicKey: string;
  seal(judgement: Judgement): Sealed;
}

export const keyFile = (home: string): string => join(home, 'key.pem');
export const publicKeyFile = (home: string): string => join(home, 'key.pub');

/** The key in the home of a judge, made at its first start. */
export function signingKey(home: string): SigningKey {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = keyFile(home);
  if (!existsSync(path)) makeKey(home);
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) {
    throw new KernloopError(
      'KEY_EXPOSED',
      `others can read ${path}, so that anybody may have signed with it`,
      `remove it, and the judge makes another; or keep it and \`chmod 600 ${path}\` if nobody else is on this machine`,
    );
  }
  const privateKey = createPrivateKey(readFileSync(path));
  const publicKey = textOf(createPublicKey(privateKey));
  return {
    publicKey,
    seal: (judgement) => ({
      schema: 'kernloop.sealed-judgement/1',
      judgement,
      public_key: publicKey,
      signature: sign(null, Buffer.from(canonicalJson(asWritten(judgement))), privateKey).toString('base64url'),
    }),
  };
}

function makeKey(home: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  try {
    writeFileSync(keyFile(home), pem, { flag: 'wx', mode: 0o600 });
    chmodSync(keyFile(home), 0o600);
    writeFileSync(publicKeyFile(home), `${textOf(publicKey)}\n`);
  } catch (error) {
    // Another judge that starts meanwhile has made it.
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function textOf(key: KeyObject): string {
  const { x } = key.export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key has a public part');
  return x;
}

/** The key that others know a judge by, which its home has beside the private one; undefined before its first start. */
export function publicKeyIn(home: string): string | undefined {
  const path = publicKeyFile(home);
  return existsSync(path) ? readRegularFile(path, 'utf8').trim() : undefined;
}

/** Whether a text is a key as `public_key` has it. Other spellings of the same bytes are refused. */
export const isPublicKey = (text: string): boolean => bytesOf(text)?.length === 32;

/** Whether the judgement, as it was parsed from its file, is what the holder of `publicKey` has signed. */
export function isSealedBy(
  { judgement, signature }: { judgement: unknown; signature: string },
  publicKey: string,
): boolean {
  const bytes = bytesOf(signature);
  if (bytes === null) return false;
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(canonicalJson(judgement)), key, bytes);
  } catch {
    return false;
  }
}

/** Null for what is no base64url, or not as an encoder writes it. */
function bytesOf(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

/** The value that readers of its file get: JSON has neither NaN nor undefined. */
export const asWritten = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * JSON without spaces, with the keys of each object in the order of their UTF-16 units (RFC 8785). Throws for a number
 * that JSON does not have: written as null, it would pass for one.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`JSON has no number ${value}`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(',')}}`;
}
