import { connect, isIP, type Server } from 'node:net';
import { hostname } from 'node:os';
import { lstatSync, unlinkSync } from 'node:fs';
import { once } from 'node:events';
import { KernloopError, systemCode } from '../../support/error';

export type Address =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** Bytes of a path in sockaddr_un, without the zero at its end. */
const longestPath = 107;

const refused = (what: string, hint = ''): KernloopError => new KernloopError('ADDRESS_REFUSED', what, hint);

/** Reads what follows --serve, or what a client was given: a path has a slash, everything else is HOST:PORT. */
export function parseAddress(given: string): Address {
  const text = given.replace(/^(http|unix):\/\/(?=.)/, '');
  if (text.includes('/') && !/^http:/.test(given)) {
    if (Buffer.byteLength(text) > longestPath)
      throw refused(
        `${text} has more than ${longestPath} bytes, which the path of no socket can have`,
        'name a shorter one',
      );
    return { kind: 'socket', path: text };
  }
  const [, host = '127.0.0.1', port = ''] = /^(?:(.*):)?(\d{1,5})\/?$/.exec(text) ?? [];
  const plain = host.replace(/^\[(.*)\]$/, '$1');
  if (
    port === '' ||
    Number(port) > 65_535 ||
    (host.includes(':') && (plain === host || isIP(plain) !== 6)) ||
    /[\s@]/.test(plain)
  )
    throw refused(`${given} is no address`, 'name ./FILE for a Unix socket, or HOST:PORT');
  return { kind: 'tcp', host: plain === '' ? '127.0.0.1' : plain, port: Number(port) };
}

export const addressText = (address: Address): string =>
  address.kind === 'socket'
    ? address.path
    : `http://${isIP(address.host) === 6 ? `[${address.host}]` : address.host}:${address.port}`;

export const isLoopback = ({ host }: { host: string }): boolean => /^(127\.|::1$|localhost$)/.test(host);

/**
 * Whether a Host header may name this judge. A page of another site that had its name resolved to this machine (DNS
 * rebinding) sends that name, so addresses are accepted, and of names only those of this machine.
 */
export function isOwnHost(header: string | undefined, address: Address): boolean {
  const [, name = ''] = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d+)?$/i.exec(header ?? '') ?? [];
  const host = name.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const own = [
    'localhost',
    hostname().toLowerCase(),
    address.kind === 'tcp' ? address.host.toLowerCase() : 'localhost',
  ];
  return isIP(host) !== 0 || own.includes(host);
}

/** Listens; resolves to the address with the port that was chosen. */
export async function listen(server: Server, address: Address): Promise<Address> {
  if (address.kind === 'socket') await removeStale(address.path);
  const listening = once(server, 'listening');
  try {
    if (address.kind === 'tcp') server.listen(address.port, address.host);
    else listenPrivately(server, address.path);
    await listening;
  } catch (error) {
    if (systemCode(error) === 'EADDRINUSE')
      throw new KernloopError('JUDGE_RUNNING', `another program listens at ${addressText(address)}`, '');
    throw refused(`${addressText(address)}: ${systemCode(error) ?? String(error)}`);
  }
  const bound = server.address();
  return address.kind === 'tcp' && typeof bound === 'object' && bound ? { ...address, port: bound.port } : address;
}

/** The file gets its mode when it is made, so that nobody else can connect at any moment. */
function listenPrivately(server: Server, path: string): void {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

/** Removes the socket of a judge that was killed; anything else at the path stays. */
async function removeStale(path: string): Promise<void> {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isSocket()) throw refused(`${path} is there, and is no socket`, 'name another path');
  const probe = connect(path);
  try {
    await once(probe, 'connect');
  } catch (error) {
    if (systemCode(error) === 'ECONNREFUSED') return unlinkSync(path);
    throw refused(`${path}: ${systemCode(error) ?? String(error)}`);
  } finally {
    probe.destroy();
  }
  throw new KernloopError('JUDGE_RUNNING', `another program listens at ${path}`, '');
}
