import type { LaunchObstacle } from '../app/launch';
import type { Deps } from '../deps/deps';
import type { UnseenProcess } from '../recorder/app-watch';
import type { Note } from '../recorder/notes';
import { ProcessLog } from '../recorder/processes';
import type {
  CapturedEvent,
  CapturingEvent,
  PlannedEvent,
  RecorderEvent,
  RefusedEvent,
  SummaryEvent,
  ViolationEvent,
} from '../recorder/recorder-events';
import type { Progress } from '../support/progress-text';
import type { Request } from './selection';

/** What the recorder said during one run. */
export class RunLog {
  readonly kernels: { name: string; symbol: string }[] = [];
  readonly refused: RefusedEvent[] = [];
  readonly notes: Note[] = [];
  readonly processes = new ProcessLog();
  /** Processes of the app, where no agent came forward. */
  unseen: UnseenProcess[] = [];
  /** Why none did. */
  obstacle: LaunchObstacle | undefined;
  summary: SummaryEvent | undefined;
  /** In the order in which they came: a violation may be made up for by a later capture, and a capture undone by one. */
  private readonly outcomes: (CapturedEvent | PlannedEvent | ViolationEvent)[] = [];

  constructor(private readonly deps: Deps) {}

  /** Of one selection, by ordinal; a later capture of the same dispatch replaces an earlier one. */
  captured({ selection }: Request): CapturedEvent[] {
    const events = this.outcomes.filter(
      (event) => event.event === 'captured' && event.id === selection.name,
    ) as CapturedEvent[];
    const latest = new Map(events.map((event) => [event.output, event]));
    return [...latest.values()].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** What captures of one selection would be, in a dry run. */
  planned({ selection }: Request): PlannedEvent[] {
    const events = this.outcomes.filter(
      (event) => event.event === 'planned' && event.id === selection.name,
    ) as PlannedEvent[];
    return events.sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Violations of its scope that no later capture has made up for. */
  violations(request: Request): ViolationEvent[] {
    const { name } = request.selection;
    return this.outcomes.flatMap((event, place) => {
      if (event.event !== 'scope_violation' || event.id !== name) return [];
      const later = this.outcomes.slice(place + 1).filter((other) => other.id === name);
      return later.some((other) => other.event !== 'scope_violation' && standsFor(request, other, event))
        ? []
        : [event];
    });
  }

  refusals({ selection }: Request): RefusedEvent[] {
    return this.refused.filter(({ id, code }) => id === selection.name && code !== 'SCOPE_VIOLATION');
  }

  /** Dispatches that a selection counted. */
  matches({ selection }: Request): number {
    return this.summary?.selections.find(({ id }) => id === selection.name)?.matches ?? 0;
  }

  take(event: RecorderEvent): void {
    this.processes.take(event);
    switch (event.event) {
      case 'kernel':
        this.kernels.push({ name: event.name, symbol: event.symbol });
        break;
      case 'matched':
        this.deps.report.info(`${event.id}: capturing ${event.kernel ?? ''}`);
        break;
      case 'capturing':
        this.deps.report.progress?.(howFar(event));
        break;
      case 'captured':
      case 'planned':
      case 'scope_violation':
        this.outcomes.push(event);
        this.deps.report.progress?.(null);
        break;
      case 'refused':
        this.deps.report.progress?.(null);
        this.refused.push(event);
        if (event.code !== 'SCOPE_VIOLATION') this.deps.report.warn(`${event.id}: ${event.reason}`);
        break;
      case 'note':
        this.notes.push(event);
        if (event.code === 'DEVICE_FAULT') this.deps.report.warn(`${event.code}: ${event.text}`);
        // Of LAUNCHES_NOT_COUNTED nothing is amiss: the agent has done its work.
        else if (event.code !== 'LAUNCHES_NOT_COUNTED') this.deps.report.info(`${event.code}: ${event.text}`);
        break;
      case 'summary':
        this.summary = event;
        this.deps.report.progress?.(null);
        break;
      default:
        break;
    }
  }
}

/** The rest is told where it is known how much there is. */
function howFar({ id, phase, bytes, total_bytes: total }: CapturingEvent): Progress {
  const what = `${id ?? ''}: ${phase === 'after' ? 'compared after the launch' : 'captured'}`;
  return { what, done: bytes ?? 0, unit: 'bytes', ...(total === undefined ? {} : { total }) };
}

/** Whether a capture is what a dispatch of this selection would have given whose scope was too small. */
function standsFor(
  { each, ordinals }: Request,
  captured: CapturedEvent | PlannedEvent,
  violated: ViolationEvent,
): boolean {
  const sameKernel = captured.symbol === violated.symbol && captured.code_object === violated.code_object;
  if (each === 'kernel') return sameKernel;
  if (each === 'geometry') return sameKernel && shape(captured) === shape(violated);
  const [only] = ordinals;
  return ordinals.length === 1 && only !== undefined && only[0] === only[1];
}

function shape({ geometry }: CapturedEvent | PlannedEvent | ViolationEvent): string {
  return JSON.stringify([geometry?.['grid_work_items'] ?? geometry?.grid_blocks, geometry?.block_threads]);
}
