import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from './program';

/**
 * Like replayOnce, but repeats a replay that exceeds the instruction limit on one thread. If waves spin on others, the
 * count on several host threads depends on the load: a thread spins while the one it waits for gets no core. One thread
 * executes the same under any load, and a true hang still exceeds the limit.
 */
export async function replayWithinLimit(request: ReplayRequest, device: Device, deps: Deps): Promise<ReplayOutcome> {
  const outcome = await replayOnce(request, device, deps);
  const mayBeLoad =
    outcome.result.verdict === 'limit' && request.limitWaveInstructions !== undefined && request.threads !== 1;
  return mayBeLoad ? replayOnce({ ...request, threads: 1 }, device, deps) : outcome;
}
