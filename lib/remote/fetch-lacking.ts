import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { anyPushedJsonSchema, pushedFile } from '../archive/pushed-json';
import { missingChunks } from '../archive/stores';
import type { Deps } from '../deps/deps';
import type { Reproducer } from '../reproducer/reproducer';
import { formatCount } from '../support/report';
import { readJson } from '../support/schema';
import type { Source } from './content';
import type { HttpStore } from './http-store';
import { openPushed } from './pushed';
import { remoteStore } from './remote-store';
import { fetchChunks } from './transfer';

/** Fetches chunks that no store has from the server, if one is named, into the first store. */
export async function fetchLacking(
  reproducer: Reproducer,
  capture: string,
  stores: readonly string[],
  deps: Deps,
): Promise<void> {
  const missing = missingChunks(capture, stores);
  const [store] = stores;
  if (missing.length === 0 || store === undefined) return;
  const remote = await remoteStore(undefined, reproducer, deps);
  if (remote === undefined) return;
  try {
    deps.report.info(`fetching ${formatCount(missing.length)} chunks from ${remote.address.url}`);
    await fetchChunks(missing, store, await sourceFor(reproducer, remote, deps), deps);
  } finally {
    await remote.close();
  }
}

/** Chunks have their own digests, unless pushed.json says that they are encrypted. */
async function sourceFor({ root }: Reproducer, remote: HttpStore, deps: Deps): Promise<Source> {
  const file = join(root, pushedFile);
  if (!existsSync(file)) return remote;
  const pushed = readJson(file, anyPushedJsonSchema, 'CAPTURE_MISSING', 'push the capture again');
  return (await openPushed(pushed, remote, deps)).source;
}
