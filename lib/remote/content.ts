import type { Address } from './address';

/** Content by its own digest, for any server and any form of storage. */
export interface Source {
  readonly address: Address;
  /** Content that has this digest. */
  get(digest: string): Promise<Buffer>;
}

/** Receives content for a server. */
export interface Sink {
  /** Whether the server has it already, so that it need not be sent. */
  has(digest: string): Promise<boolean>;
  /** Sends a file with the content; returns the number of bytes sent. */
  putFile(digest: string, path: string): Promise<number>;
}
