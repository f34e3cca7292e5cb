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

/** Events of the recorder during one run. */
export class RunLog {
  readonly kernels: { name: string; symbol: string }[] = [];
  readonly refused: RefusedEvent[] = [];
  readonly notes: Note[] = [];
  readonly processes = new ProcessLog();
  /** Processes of the app, if no agent reported. */
  unseen: UnseenProcess[] = [];
  /** Reason why no agent reported. */
  obstacle: LaunchObstacle | undefined;
  summary: SummaryEvent | undefined;
  /** Events in order: a later capture may make up for a violation, and a violation may undo a capture. */
  private readonly outcomes: (CapturedEvent | PlannedEvent | ViolationEvent)[] = [];

  constructor(private readonly deps: Deps) {}

  /** Captures of a selection by ordinal; a later capture of the same dispatch replaces an earlier one. */
  captured({ selection }: Request): CapturedEvent[] {
    const events = this.outcomes.filter(
      (event) => event.event === 'captured' && event.id === selection.name,
    ) as CapturedEvent[];
    const latest = new Map(events.map((event) => [event.output, event]));
    return [...latest.values()].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Planned captures of a selection in a dry run. */
  planned({ selection }: Request): PlannedEvent[] {
    const events = this.outcomes.filter(
      (event) => event.event === 'planned' && event.id === selection.name,
    ) as PlannedEvent[];
    return events.sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Scope violations that no later capture has made up for. */
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

  /** Number of dispatches that a selection counted. */
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
        // The note and the app's own output have told of a fault, and the error at the end will.
        if (event.code !== 'SCOPE_VIOLATION' && event.code !== 'DEVICE_FAULT')
          this.deps.report.warn(`${event.id}: ${event.reason}`);
        break;
      case 'note':
        this.notes.push(event);
        if (event.code === 'DEVICE_FAULT') this.deps.report.warn(`${event.code}: ${event.text}`);
        // LAUNCHES_NOT_COUNTED is normal: the agent has finished its work.
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

/** Adds the total once it is known. */
function howFar({ id, phase, bytes, total_bytes: total }: CapturingEvent): Progress {
  const what = `${id ?? ''}: ${phase === 'after' ? 'compared after the launch' : 'captured'}`;
  return { what, done: bytes ?? 0, unit: 'bytes', ...(total === undefined ? {} : { total }) };
}

/** Whether a capture can replace a dispatch of this selection whose scope was too small. */
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
