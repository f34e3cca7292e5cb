import { ProcessTable } from '../support/processes';
import { recorderVariable } from './outliving';

/** A running process of the app without an agent. */
export interface UnseenProcess {
  pid: number;
  command: string[];
  /** `kept`: it has our variables; `dropped`: it has not; `hidden`: another user's process. */
  environment: 'kept' | 'dropped' | 'hidden';
  /** HSA runtime or CUDA driver that it has loaded. */
  runtime: string | null;
}

const firstPauseMs = 50;
const longestPauseMs = 400;
const mostProcesses = 1000;

/**
 * Watches the processes of the app until an agent connects, to explain why none did. A process shorter than a pause may
 * be missed; one that initializes a GPU runs longer.
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
      // The process is between fork and exec, or exiting.
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
