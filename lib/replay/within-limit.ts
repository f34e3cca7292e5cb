import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from './program';

/**
 * As replayOnce. Where waves wait for others in a loop, what several host threads execute depends on the load: a thread executes waiting while
 * the one that has what it waits for gets no core. So what runs past the limit of instructions is replayed on one thread, which executes the
 * same under any load; what never ends does not end there either.
 */
export async function replayWithinLimit(request: ReplayRequest, device: Device, deps: Deps): Promise<ReplayOutcome> {
  const outcome = await replayOnce(request, device, deps);
  const mayBeLoad =
    outcome.result.verdict === 'limit' && request.limitWaveInstructions !== undefined && request.threads !== 1;
  return mayBeLoad ? replayOnce({ ...request, threads: 1 }, device, deps) : outcome;
}
