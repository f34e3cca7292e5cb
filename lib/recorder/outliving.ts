import type { Deps } from '../deps/deps';
import { ProcessTable } from '../support/processes';
import { quoteCommand } from './process-text';

export interface Outliving {
  app: string;
  /** Identifies the app's processes: it is in the environment of each. */
  socket: string;
  /** Processes whose agent is connected. */
  connected: () => ReadonlySet<number>;
  /** Whether nothing is left to capture. */
  settled: () => boolean;
  limitSeconds: number;
}

/** Variable with the socket of the recorder; every process of the app that kept its environment has it. */
export const recorderVariable = 'KERNLOOP_RECORDER_SOCKET';

/** Number of empty looks in a row: a process that forks and ends during a look may hide its child from it. */
const surelyEmpty = 3;

const firstPauseMs = 20;
const longestPauseMs = 250;

/**
 * Waits, up to the limit, for processes that outlive the app's command (a server in the background, workers whose
 * parent is gone) until they end or everything requested is captured.
 */
export async function waitForOutliving(run: Outliving, deps: Deps, table = new ProcessTable()): Promise<void> {
  const startedMs = deps.clock.monotonicMs();
  let told = false;
  let emptyLooks = 0;
  for (let pauseMs = firstPauseMs; !run.settled(); pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const left = [...new Set([...table.withVariable(recorderVariable, run.socket), ...run.connected()])];
    emptyLooks = left.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks === surelyEmpty || deps.signal.aborted) return;
    if (deps.clock.monotonicMs() - startedMs >= run.limitSeconds * 1000) {
      deps.report.warn(`not waited for any longer: ${describe(left, table)}; --linger-seconds gives them more time`);
      return;
    }
    // The app's own end may be seen before its agent's: that process did not outlive the app.
    const alive = left.filter((pid) => table.isAlive(pid));
    if (!told && alive.length > 0)
      deps.report.info(
        `the command of ${run.app} has ended; waiting for what it left running: ${describe(alive, table)}`,
      );
    told ||= alive.length > 0;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Kills the remaining processes of an app that has exceeded its time limit. */
export function endOutliving(socket: string, table = new ProcessTable()): void {
  for (const pid of table.withVariable(recorderVariable, socket)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has just ended by itself.
    }
  }
}

const shown = 4;

function describe(pids: readonly number[], table: ProcessTable): string {
  const some = pids.slice(0, shown).map((pid) => `process ${pid} (${quoteCommand(table.command(pid))})`);
  const more = pids.length - shown;
  return some.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
