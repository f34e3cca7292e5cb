import { KernloopError } from '../support/error';

/**
 * A server that keeps content by digest: `<url>/cas/<sha256>`, like caches of build tools (bazel-remote; nginx with
 * WebDAV's PUT).
 */
export interface Address {
  /** URL without a slash at the end and without credentials, so that it may be shown. */
  readonly url: string;
  readonly isEncrypted: boolean;
  /** Whether the server is this machine. */
  readonly isLocal: boolean;
}

const localHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

export function parseAddress(text: string, where: string): Address {
  const wrong = (what: string, hint: string): KernloopError => new KernloopError('USAGE', `${where}: ${what}`, hint);
  if (!URL.canParse(text)) throw wrong(`"${text}" is no URL`, 'give one such as https://cache.example.org/kernloop');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw wrong(
      `the URL of ${url.host} has credentials in it, which would end up in logs`,
      'set KERNLOOP_STORE_AUTHORIZATION, or a "credentialHelper" in kernloop.json',
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw wrong(`"${text}" is neither https: nor http:`, 'give the URL of a server of content by digest');
  if (url.search !== '' || url.hash !== '') throw wrong(`"${text}" has a query or a fragment`, 'leave it out');
  return {
    url: `${url.origin}${url.pathname}`.replace(/\/+$/, ''),
    isEncrypted: url.protocol === 'https:',
    isLocal: localHosts.has(url.hostname),
  };
}

export const objectUrl = ({ url }: Address, digest: string): string => `${url}/cas/${digest}`;
