import { missingChunks } from '../archive/stores';
import type { Deps } from '../deps/deps';
import type { Reproducer } from '../reproducer/reproducer';
import { formatCount } from '../support/report';
import { remoteStore } from './remote-store';
import { fetchChunks } from './transfer';

/** Where a server is named, what no store has is fetched from there into the first of them. */
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
    await fetchChunks(missing, store, remote, deps);
  } finally {
    await remote.close();
  }
}
