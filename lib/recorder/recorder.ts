import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { App } from '../app/app';
import { inputOf } from '../app/input';
import { appVariables } from '../app/variables';
import { agentEnvironment } from '../device/agent';
import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import type { RunOptions, RunResult } from '../support/exec';
import { throwIfInterrupted } from '../support/interrupted';
import { MadeFolder } from '../support/made-folder';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';
import { emptyInput } from '../support/stdin';
import { AppWatch, type UnseenProcess } from './app-watch';
import { endOutliving, waitForOutliving } from './outliving';
import type { RecorderConfig, RecorderSelection } from './recorder-config';
import { recorderEvents, type RecorderEvent } from './recorder-events';
import { RunState } from './run-state';
import { nvrtcEnvironment } from './nvrtc-environment';
import { tritonEnvironment } from './triton-environment';

export interface RecordedRun {
  app: App;
  program: string;
  device: Device;
  config: RecorderConfig;
  /** Folder for records of programs that the app compiles at run time. */
  nvrtcFolder?: string;
  /** Folder for records of Triton. */
  tritonFolder?: string;
  /** Action of the agent if arguments point to memory whose allocation was not seen. */
  untrackedMemory?: 'warn' | 'refuse';
  /** Time limit of the app; 0 means none. */
  timeLimitSeconds: number;
  /** Time to wait for processes that outlive the app's command. */
  lingerSeconds: number;
  /** Called with the processes of the app that were seen if no agent ever connected. */
  onUnseen?: (processes: UnseenProcess[]) => void;
  /** Output of the app, each stream separately: their interleaving is random. */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: string) => void;
}

export interface RecordedEnd extends RunResult {
  /** Whether the app had no input, and read its stdin, as far as that is known. */
  readEmptyStdin: boolean;
}

const startLimitMs = 30_000;

/**
 * Runs the app once with the agent inside and the recorder beside it, and passes on the recorder's events as they come.
 * The recorder outlives the app: its stdin is closed after the app has ended, and then it drains.
 */
export async function record(
  run: RecordedRun,
  onEvent: (event: RecorderEvent) => void,
  deps: Deps,
): Promise<RecordedEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-'));
  const places = run.config.dry_run === true ? [] : run.config.selections.flatMap(placeOf);
  let killedRecorder: number | undefined;
  // The next recorder removes the remains of killed ones once it holds the capture's lock: only then is nobody writing
  // them, here or on another machine that shares the folder.
  const made = places.map(({ folder: parent }) => new MadeFolder(parent));
  try {
    const socket = socketIn(folder);
    const configPath = join(folder, 'config.json');
    writeFileSync(configPath, JSON.stringify(run.config));

    // Checked before anything starts: another tool may use the same variable.
    const environment = appEnvironment(run, socket, deps);
    const listening = deferred();
    const state = new RunState(run.config);
    const reader = new EventReader<RecorderEvent>('kernloop-recorder', recorderEvents, (event) => {
      if (event.event === 'listening') listening.resolve();
      state.take(event);
      onEvent(event);
    });
    const recorder = deps.run(deps.native.recorder, ['--socket', socket, '--config', configPath], {
      holdStdin: true,
      // On SIGTERM the recorder discards unfinished captures.
      parentDeathSignal: 'SIGTERM',
      onStdoutLine: reader.push,
      onStderr: (chunk) => deps.report.output(chunk),
    });
    const ended = recorder.result.then((result) => ({ result }));
    const first = await Promise.race([listening.promise, ended, timeout(startLimitMs)]);
    if (first === 'timeout') {
      recorder.kill('SIGKILL');
      throw new KernloopError(
        'NATIVE_FAILED',
        `kernloop-recorder did not listen within ${startLimitMs / 1000} s`,
        rebuildHint,
      );
    }
    if (first !== undefined) {
      throwIfInterrupted(deps.signal);
      reader.finish(first.result);
      throw new KernloopError(
        'NATIVE_FAILED',
        `${describeEnd('kernloop-recorder', first.result)} before it listened`,
        rebuildHint,
      );
    }

    const appEnd = await runApp(run, environment, folder, state, deps);
    recorder.closeStdin();
    const { result } = await ended;
    if (result.signal !== null) killedRecorder = recorder.pid;
    throwIfInterrupted(deps.signal);
    reader.finish(result);
    if (result.signal !== null || result.exitCode === null) {
      throw new KernloopError('NATIVE_FAILED', describeEnd('kernloop-recorder', result), rebuildHint);
    }
    return appEnd;
  } finally {
    if (killedRecorder !== undefined) {
      for (const place of places) removePartials(place, killedRecorder);
    }
    for (const parent of made.reverse()) parent.removeIfEmpty();
    rmSync(folder, { recursive: true, force: true });
  }
}

function appEnvironment(
  { app, device, program, config, nvrtcFolder, tritonFolder, untrackedMemory }: RecordedRun,
  socket: string,
  deps: Deps,
): RunOptions['env'] {
  const own = appVariables(app, device, deps);
  return {
    ...own,
    ...agentEnvironment(device, program, { ...deps.env, ...own }),
    ...(nvrtcFolder === undefined ? {} : nvrtcEnvironment(device, nvrtcFolder, { ...deps.env, ...own }, deps.native)),
    ...tritonEnvironment(
      {
        record: tritonFolder === undefined ? undefined : { folder: tritonFolder, patterns: patternsOf(config) },
        onSoftgpu: device.description.kind === 'softgpu',
      },
      { ...deps.env, ...own },
    ),
    ...(untrackedMemory === undefined ? {} : { KERNLOOP_UNTRACKED_MEMORY: untrackedMemory }),
    KERNLOOP_RECORDER_SOCKET: socket,
    KERNLOOP_LOG_FILE: agentLog(app),
  };
}

const patternsOf = ({ selections }: RecorderConfig): string[] => selections.map(({ match }) => match);

const socketIn = (folder: string): string => join(folder, 'recorder.sock');

/** Time to read the rest of a pipe after the program that wrote it has ended. */
const outputLimitMs = 2000;

async function runApp(
  run: RecordedRun,
  env: RunOptions['env'],
  folder: string,
  state: RunState,
  deps: Deps,
): Promise<RecordedEnd> {
  const socket = socketIn(folder);
  const { app, timeLimitSeconds } = run;
  const [, ...args] = app.config.command;
  const output =
    (stream: 'stdout' | 'stderr') =>
    (chunk: string): void => {
      run.onOutput?.(stream, chunk);
      deps.report.output(chunk);
    };
  const startedMs = deps.clock.monotonicMs();
  const given = inputOf(app, deps);
  const empty = emptyInput(folder);
  const running = deps.run(run.program, args, {
    cwd: app.cwd,
    env,
    input: given ?? empty.input,
    onStdout: output('stdout'),
    onStderr: output('stderr'),
    ...(timeLimitSeconds > 0 ? { timeoutMs: timeLimitSeconds * 1000 } : {}),
  });
  const watch = new AppWatch(running.pid ?? 0, socket, () => state.everConnected);
  watch.start();
  await Promise.race([running.exited, running.result]);
  const left = timeLimitSeconds > 0 ? timeLimitSeconds - (deps.clock.monotonicMs() - startedMs) / 1000 : Infinity;
  const outliving = {
    app: app.config.name,
    socket,
    connected: () => state.connected,
    settled: () => state.settled,
    limitSeconds: Math.min(run.lingerSeconds, left),
  };
  if (left <= 0) endOutliving(socket);
  else await waitForOutliving(outliving, deps);
  watch.stop();
  if (!state.everConnected) run.onUnseen?.(watch.processes());
  // Processes that go on may hold the output open.
  const timer = setTimeout(() => running.closeOutput(), outputLimitMs);
  try {
    return { ...(await running.result), readEmptyStdin: given === undefined && empty.wasRead() };
  } finally {
    clearTimeout(timer);
  }
}

/** One log file per process of the app, for the latest run only. */
function agentLog(app: App): string {
  const folder = join(app.workspaceRoot, '.kernloop', 'logs');
  const prefix = `${app.config.name}-agent-`;
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
  return join(folder, `${prefix}%p.log`);
}

/** Folder for captures of a selection, and their names in it. */
interface Place {
  folder: string;
  isCapture: (name: string) => boolean;
}

function placeOf({ output, outputs }: RecorderSelection): Place[] {
  if (outputs !== undefined) return [{ folder: outputs, isCapture: (name) => /^\d+$/.test(name) }];
  return output === undefined ? [] : [{ folder: dirname(output), isCapture: (name) => name === basename(output) }];
}

/**
 * Removes partial captures of a recorder that was killed. Any other end removes its own: a recorder of another container
 * may have the same process number.
 */
function removePartials({ folder, isCapture }: Place, recorder: number): void {
  for (const name of readdirSync(folder)) {
    const partial = /^(.*)\.partial-(\d+)$/.exec(name);
    if (partial && isCapture(partial[1] ?? '') && Number(partial[2]) === recorder) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function timeout(ms: number): Promise<'timeout'> {
  return new Promise((resolve) => {
    setTimeout(() => resolve('timeout'), ms).unref();
  });
}
