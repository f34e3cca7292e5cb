import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KernloopError } from '../support/error';
import { jsonText, writeFileAtomic } from '../support/files';
import type { Address } from './address';

const fileIn = (workspaceRoot: string): string => join(workspaceRoot, '.kernloop', 'accepted-remotes.json');

/**
 * Requires that the user accepts a server before the first upload, because captures hold a program's memory; the
 * workspace remembers it.
 */
export function requireAccepted({ url }: Address, accept: boolean, workspaceRoot: string): void {
  const file = fileIn(workspaceRoot);
  const accepted = acceptedIn(file);
  if (accepted.includes(url)) return;
  if (!accept) {
    throw new KernloopError(
      'PUSH_NOT_ACCEPTED',
      `nothing was sent: this would be the first push of this workspace to ${url}, and what is named above would be readable there`,
      'push with --accept if that is meant (it is remembered), or with --encrypt <file of recipients>',
    );
  }
  writeFileAtomic(file, jsonText([...accepted, url].sort()));
}

/** A damaged file accepts nothing. */
function acceptedIn(file: string): string[] {
  if (!existsSync(file)) return [];
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
