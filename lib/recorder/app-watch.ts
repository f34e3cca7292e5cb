import { ProcessTable } from '../support/processes';
import { recorderVariable } from './outliving';

/** A process of the app without an agent in it, as it was seen while it ran. */
export interface UnseenProcess {
  pid: number;
  command: string[];
  /** `kept` has our variables; `dropped` has not; `hidden` is another user's. */
  environment: 'kept' | 'dropped' | 'hidden';
  /** The HSA runtime or CUDA driver that it has loaded. */
  runtime: string | null;
}

const firstPauseMs = 50;
const longestPauseMs = 400;
const mostProcesses = 1000;

/**
 * Looks at the processes of the app as long as no agent has come forward, so that it can be told why none did. What lives shorter than a pause
 * may be missed; a process that starts a GPU does not.
 */
export class AppWatch {
  private readonly found = new Map<number, UnseenProcess>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly root: number,
    private readonly socket: string,
    private readonly isOver: () => boolean,
    private readonly table = new ProcessTable(),
  ) {}

  start(pauseMs = firstPauseMs): void {
    if (this.isOver()) return;
    this.timer = setTimeout(() => {
      this.look();
      this.start(Math.min(pauseMs * 2, longestPauseMs));
    }, pauseMs);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  look(): void {
    for (const pid of this.table.descendants(this.root)) {
      if (this.found.size >= mostProcesses && !this.found.has(pid)) continue;
      const environment = this.environmentOf(pid);
      const command = this.table.command(pid);
      // Between fork and exec, or on its way out.
      if (command.join('') === '') continue;
      const runtime = this.table.libraries(pid).find((file) => /\/lib(?:hsa-runtime64|cuda)\.so/.test(file)) ?? null;
      this.found.set(pid, { pid, command, environment, runtime: runtime ?? this.found.get(pid)?.runtime ?? null });
    }
  }

  processes(): UnseenProcess[] {
    return [...this.found.values()];
  }

  private environmentOf(pid: number): UnseenProcess['environment'] {
    const environment = this.table.environment(pid);
    if (environment === undefined) return 'hidden';
    return environment.includes(`${recorderVariable}=${this.socket}`) ? 'kept' : 'dropped';
  }
}
