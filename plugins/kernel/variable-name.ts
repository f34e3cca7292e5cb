import { createHash } from 'node:crypto';

/**
 * A variable of one project, whatever it is called: `KERNLOOP_JUDGED_4K2J0QZ7W1XB`. Short, as is its value: Nx hands all of them to each process
 * that it starts, Linux starts none with more than 2 MiB of them, and a workspace may have ten thousand reproducers.
 */
export function variableName(kind: string, unique: string): string {
  const digest = createHash('sha256').update(unique).digest('hex').slice(0, 16);
  return `KERNLOOP_${kind}_${BigInt(`0x${digest}`).toString(36).toUpperCase().padStart(13, '0').slice(-12)}`;
}

/** 128 bits of the digest. */
export const shortDigest = (content: string): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 22);
