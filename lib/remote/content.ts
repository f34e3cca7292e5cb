import type { Address } from './address';

/** Content by its own digest, wherever and however a server keeps it. */
export interface Source {
  readonly address: Address;
  /** The content, which is what its digest says. */
  get(digest: string): Promise<Buffer>;
}

/** Takes content that a server is to keep. */
export interface Sink {
  /** Whether the server has it already, so that it need not be sent. */
  has(digest: string): Promise<boolean>;
  /** Sends a file that holds it; gives the bytes that were sent. */
  putFile(digest: string, path: string): Promise<number>;
}
