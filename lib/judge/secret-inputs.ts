import { createHash, createHmac, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KernloopError } from '../support/error';
import { readRegularFile } from '../support/regular-file';
import type { DecidedBy } from './judgement-json';
import { writePrivate } from './private-file';
import { asWritten, canonicalJson } from './seal';

/** Parts of a candidate that its inputs are drawn for; its signed report names all of them. */
export type DrawnFor = Pick<DecidedBy, 'captures' | 'sources' | 'configuration'>;

/** Seed of the derived inputs of one candidate, and what the report says of it. */
export interface InputsDraw {
  /** Below 2^48, so that it is a number in JSON, too. */
  readonly seed: number;
  /** SHA-256 of the draw: it tells nothing about the seed, and no other draw has it. */
  readonly commitment: string;
}

/** Draws the inputs that a candidate is judged by: the same ones whenever it is sent, and others for every other one. */
export type DrawInputs = (candidate: DrawnFor) => InputsDraw;

export const secretFile = (home: string): string => join(home, 'inputs.secret');

const form = /^[A-Za-z0-9_-]{43}$/;

/** The draws of a home, whose secret is made at the first start of a judge. */
export function secretInputs(home: string): DrawInputs {
  const path = secretFile(home);
  if (!existsSync(path)) writePrivate(path, `${randomBytes(32).toString('base64url')}\n`);
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) {
    throw new KernloopError(
      'KEY_EXPOSED',
      `others can read ${path}, so that anybody may know the inputs that candidates are judged by`,
      'remove it, and the judge makes another',
    );
  }
  return drawsOf(path);
}

/** The draws of a home without making anything; null if no judge with secret inputs started there, or if it is not ours. */
export function secretInputsIn(home: string): DrawInputs | null {
  const path = secretFile(home);
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.uid === process.getuid?.() ? drawsOf(path) : null;
}

function drawsOf(path: string): DrawInputs {
  const secret = readRegularFile(path, 'utf8').trim();
  if (!form.test(secret)) {
    throw new KernloopError(
      'KEY_EXPOSED',
      `${path} holds no secret of a judge`,
      'remove it, and the judge makes another',
    );
  }
  const key = Buffer.from(secret, 'base64url');
  return ({ captures, sources, configuration }) => {
    const what = canonicalJson(asWritten({ captures, sources, configuration: configuration ?? null }));
    const drawn = createHmac('sha256', key).update('kernloop.inputs/1\n').update(what).digest();
    return {
      seed: drawn.readUIntBE(0, 6),
      commitment: createHash('sha256').update('kernloop.inputs-commitment/1\n').update(drawn).digest('hex'),
    };
  };
}
