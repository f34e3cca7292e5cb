import type { App } from '../app/app';
import { buildApp } from '../app/build';
import { deviceLine } from '../app/command-app';
import { appIdentity } from '../app/identity';
import { inputOf } from '../app/input';
import { sayInterpreter } from '../app/interpreter';
import { launchObstacles } from '../app/launch';
import { findProgram } from '../app/program';
import { appVariables } from '../app/variables';
import type { Deps } from '../deps/deps';
import type { WorkUnit } from '../device/device';
import { withDevice } from '../device/lock';
import { openDevice } from '../device/open-device';
import type { FailedRun } from '../recorder/app-failed';
import type { UnseenProcess } from '../recorder/app-watch';
import { whyNoAgent } from '../recorder/no-agent';
import type { Note } from '../recorder/notes';
import { record, type RecordedEnd } from '../recorder/recorder';
import { profiling } from '../recorder/recorder-config';
import type { SummaryEvent } from '../recorder/recorder-events';
import { KernloopError } from '../support/error';
import type { ProfileOptions } from './options';

/** A run of the app in which dispatches are measured, however it ended. */
export interface Observed {
  run: FailedRun;
  /** Undefined if the recorder ended without one. */
  summary: SummaryEvent | undefined;
  work: WorkUnit;
  /** Fault of a kernel on the device. */
  fault: Note | undefined;
}

export const timeHint = 'give it more time with --time-limit-seconds (0 is no limit), or fewer steps to do';

/** Runs the app once with every dispatch measured; throws if no agent could see it, for a reason that is known. */
export async function observe(
  app: App,
  options: Omit<ProfileOptions, 'output' | 'top' | 'launches'>,
  deps: Deps,
): Promise<Observed> {
  const isCommand = options.command.length > 0;
  const device = await openDevice(options, deps);
  if (options.build && !isCommand) await buildApp(app, deps);
  const program = findProgram(app, deps.env, device.description.isa);
  sayInterpreter(app, deps);
  if (isCommand) deps.report.info(deviceLine(options, options, deps.env));
  inputOf(app, deps);
  const identity = await appIdentity(app, program, appVariables(app, device, deps), deps);
  let summary: SummaryEvent | undefined;
  const notes: Note[] = [];
  let unseen: UnseenProcess[] = [];
  const recorded = (): Promise<RecordedEnd> =>
    record(
      {
        app,
        program,
        device,
        timeLimitSeconds: options.timeLimitSeconds,
        lingerSeconds: options.lingerSeconds,
        onUnseen: (processes) => {
          unseen = processes;
        },
        config: profiling(identity, device.description),
      },
      (event) => {
        if (event.event === 'summary') summary = event;
        if (event.event === 'note') {
          notes.push(event);
          if (event.code !== 'DEVICE_FAULT') deps.report.warn(`${event.code}: ${event.text}`);
        }
      },
      deps,
    );
  const appEnd = await withDevice(device, deps, recorded);
  const fault = notes.find(({ code }) => code === 'DEVICE_FAULT');
  // The error has the text of the note, or, if the app failed, what the app said.
  if (fault && appEnd.exitCode !== 0) deps.report.warn(`${fault.code}: ${fault.text}`);
  if (summary?.processes === 0) {
    const obstacles = await launchObstacles(app, program, device, deps);
    const obstacle = whyNoAgent({ app: app.config.name, processes: unseen, obstacles, runtime: device.runtime });
    if (obstacle) throw new KernloopError(obstacle.code, obstacle.what, obstacle.hint);
  }
  const run: FailedRun = {
    app: app.config.name,
    program,
    device: device.description,
    command: app.config.command.join(' '),
    appEnd,
    notes,
  };
  return { run, summary, work: device.work, fault };
}
