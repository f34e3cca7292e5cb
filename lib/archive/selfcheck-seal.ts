import { existsSync } from 'node:fs';
import { captureFile, selfcheckFile, selfcheckSchema, type Selfcheck } from './capture-files';
import { sha256, sha256OfFile, writeJson } from '../support/files';
import { ReadOnce } from '../support/read-once';
import { parseJson, readText } from '../support/schema';

/**
 * A self-check, and whether it is unchanged since the capture wrote it; "none" for older versions, which wrote no seal.
 */
export interface SealedSelfcheck {
  selfcheck: Selfcheck;
  /** Digest of the file. */
  sha256: string;
  seal: 'intact' | 'broken' | 'none';
}

/**
 * Writes selfcheck.json with a digest of its content, so that widening an interval or writing "verified" takes more
 * than editing a number. It does not stop a person who computes the digest anew.
 */
export function writeSelfcheck(folder: string, selfcheck: Selfcheck): void {
  writeJson(selfcheckFile(folder), sealed(selfcheck));
}

export function sealed(selfcheck: object): object {
  return { ...selfcheck, content_sha256: contentDigest(selfcheck) };
}

export function readSelfcheck(folder: string, missingHint: string, files = new ReadOnce()): SealedSelfcheck {
  const path = selfcheckFile(folder);
  const text = readText(path, 'SELFCHECK_MISSING', missingHint, files);
  const selfcheck = parseJson(path, text, selfcheckSchema, files);
  const { content_sha256: digest } = selfcheck;
  const seal = digest === undefined ? 'none' : digest === contentDigest(files.jsonIn(path)) ? 'intact' : 'broken';
  return { selfcheck, sha256: sha256(text), seal };
}

/** Reason why a capture counts as unchecked, if it does: an interrupted stage may leave one that was never replayed. */
export function uncheckedReason(folder: string): string | null {
  if (!existsSync(selfcheckFile(folder))) return 'it was never checked';
  const { selfcheck, seal } = readSelfcheck(folder, 'capture it again');
  if (seal === 'broken') return 'its self-check was edited';
  const { capture_sha256: checked, verdict } = selfcheck;
  if (checked !== sha256OfFile(captureFile(folder))) return 'its self-check is that of another capture';
  return verdict === 'failed' ? 'its self-check failed' : null;
}

/** Digest that ignores layout and the order of keys. */
function contentDigest(content: unknown): string {
  const text = JSON.stringify(content, (key, value: unknown) =>
    key === 'content_sha256' ? undefined : inOrder(value),
  );
  return sha256(text);
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
