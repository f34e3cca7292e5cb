import { readFileSync } from 'node:fs';
import type { Sink } from './content';
import type { HttpStore } from './http-store';

/** Sends unencrypted content under its own digest. */
export const plainSink = (remote: HttpStore): Sink => ({
  has: (digest) => remote.has(digest),
  async putFile(digest, path) {
    const content = readFileSync(path);
    await remote.put(digest, content);
    return content.length;
  },
});
