import { z } from 'zod';
import { formatCount } from '../support/report';
import { quoteCommand } from './process-text';
import type { RecorderEvent, SummaryEvent } from './recorder-events';
import { count } from '../support/count';

export const processNameSchema = z.object({
  pid: z.int(),
  command: z.array(z.string()).describe('Its arguments, the program first; cut after 4096 bytes.'),
});

export const appProcessSchema = processNameSchema.extend({
  parent_pid: z.int().describe('When it loaded the runtime of the device.'),
  executable: z.string(),
  queues: count,
  dispatches: count,
  kernels: z.array(z.object({ name: z.string(), symbol: z.string(), dispatches: count })),
});

export type ProcessName = z.output<typeof processNameSchema>;
export type AppProcess = z.output<typeof appProcessSchema>;

/** Processes of one run of the app that loaded the runtime of the device, as reported by the recorder. */
export class ProcessLog {
  private readonly known = new Map<number, ProcessName & { runtime: string }>();
  /** Processes that reached a selection after another process had it, by selection. */
  private readonly late = new Map<string, number[]>();

  take(event: RecorderEvent): void {
    if (event.event === 'process')
      this.known.set(event.pid, { pid: event.pid, command: event.command, runtime: event.runtime });
    if (event.event === 'also_matched')
      this.late.set(event.id, [...new Set([...(this.late.get(event.id) ?? []), event.pid])]);
  }

  name(pid: number | undefined): ProcessName | null {
    const found = pid === undefined ? undefined : this.known.get(pid);
    return found ? { pid: found.pid, command: found.command } : null;
  }

  /** Files of the runtimes that loaded an agent. */
  runtimes(): { pid: number; command: string[]; runtime: string }[] {
    return [...this.known.values()].filter(({ runtime }) => runtime !== '');
  }

  lateFor(id: string): number[] {
    return this.late.get(id) ?? [];
  }
}

export function appProcesses(summary: SummaryEvent | undefined): AppProcess[] {
  return (summary?.per_process ?? []).map(({ pid, parent_pid, executable, command, queues, dispatches, kernels }) => ({
    pid,
    parent_pid,
    executable,
    command,
    queues,
    dispatches,
    kernels: kernels
      .filter((kernel) => kernel.dispatches > 0)
      .map(({ name, symbol, dispatches: own }) => ({ name, symbol, dispatches: own })),
  }));
}

export function describeProcess({ pid, command }: ProcessName): string {
  return `process ${pid} (${quoteCommand(command)})`;
}

const shownKernels = 3;

/** One line per process with its launches. */
export function processLines(processes: readonly AppProcess[]): string[] {
  return processes.map((process) => `${describeProcess(process)}: ${launches(process)}`);
}

function launches({ queues, dispatches, kernels }: AppProcess): string {
  if (dispatches === 0) return queues === 0 ? 'no queue, no dispatch' : 'no dispatch';
  const busiest = [...kernels].sort((a, b) => b.dispatches - a.dispatches);
  const named = busiest
    .slice(0, shownKernels)
    .map(({ name, dispatches: own }) => `${formatCount(own)} of ${name.replace(/\(.*/s, '')}`);
  const more = kernels.length - shownKernels;
  return `${formatCount(dispatches)} ${dispatches === 1 ? 'dispatch' : 'dispatches'}: ${named.join(', ')}${more > 0 ? ` and of ${more} more kernels` : ''}`;
}
