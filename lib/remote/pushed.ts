import { isEncrypted } from '../age/age';
import { pushedIndexSchema, pushedJsonSchema, type AnyPushedJson, type PushedCapture } from '../archive/pushed-json';
import type { Deps } from '../deps/deps';
import { parseJson } from '../support/schema';
import { objectUrl } from './address';
import type { Source } from './content';
import { decrypted, EncryptedSource } from './encrypted';
import type { HttpStore } from './http-store';

interface Pushed {
  captures: readonly PushedCapture[];
  /** Source of their content. */
  source: Source;
}

/** Resolves a reference, encrypted or not. */
export async function pushedAs(reference: string, remote: HttpStore, deps: Deps): Promise<Pushed> {
  const content = await remote.get(reference);
  const url = objectUrl(remote.address, reference);
  if (!isEncrypted(content))
    return { captures: parseJson(url, content.toString('utf8'), pushedJsonSchema).captures, source: remote };
  const text = (await decrypted(content, url, deps)).toString('utf8');
  const { captures, objects } = parseJson(url, text, pushedIndexSchema);
  return { captures, source: new EncryptedSource(remote, objects, deps) };
}

export async function openPushed(pushed: AnyPushedJson, remote: HttpStore, deps: Deps): Promise<Pushed> {
  if (pushed.schema === 'kernloop.pushed/1') return { captures: pushed.captures, source: remote };
  return pushedAs(pushed.index, remote, deps);
}
