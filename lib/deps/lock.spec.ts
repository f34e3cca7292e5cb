import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultDeps } from './deps';
import { takeFreeLock, takeLock } from './lock';

const deps = defaultDeps({ env: {} });
let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-lock-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const released = async (lock: Awaited<ReturnType<typeof takeFreeLock>>): Promise<void> => {
  if (lock === 'taken' || 'refused' in lock) throw new Error(`the lock was not free: ${JSON.stringify(lock)}`);
  await lock.release();
};

it('a lock that somebody has is taken until it is released, and others need not wait to know', async () => {
  const first = await takeFreeLock(folder, deps);
  expect(await takeFreeLock(folder, deps)).toBe('taken');
  const waiting = takeLock(folder, { name: folder, use: 'a test uses' }, deps);
  await released(first);
  const second = await waiting;
  expect(await takeFreeLock(folder, deps)).toBe('taken');
  await released(second);
  await released(await takeFreeLock(folder, deps));
});

it('a place that is not there is refused, which is not the same', async () => {
  expect(await takeFreeLock(join(folder, 'none'), deps)).toEqual({ refused: expect.any(String) as string });
});
