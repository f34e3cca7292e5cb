import { readFileSync, writeFileSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RecorderConfig } from '../recorder/recorder-config';
import type { FakeProgram } from './fake-deps';
import type { Device } from '../device/device';
import { captureJson, type TestWorkspace } from './workspace';

export type Play = (
  this: void,
  config: RecorderConfig,
  print: (this: void, event: object) => void,
  capture: (this: void, id: string, ordinal?: number) => void,
) => void;

export interface RecorderScript {
  /** Events before the summary; `capture` writes a folder and prints `captured`. */
  play?: Play;
  summary?: object;
  /** Fields of the capture.json that is written. */
  json?: object;
}

/** A kernloop-recorder that listens and, once its stdin is closed, prints the events that agents would have caused. */
export function fakeRecorder({ play = captureAll, summary = {}, json = {} }: RecorderScript = {}): FakeProgram {
  return async ({ args, print, stdinClosed }) => {
    const config = JSON.parse(readFileSync(args[args.indexOf('--config') + 1] ?? '', 'utf8')) as RecorderConfig;
    print({ event: 'listening' });
    await stdinClosed;
    print({ event: 'process', pid: 1, executable: 'program' });
    play(config, print, (id, ordinal = 1) => {
      const selection = config.selections.find((one) => one.id === id);
      const output = selection?.output ?? join(selection?.outputs ?? '', String(ordinal));
      mkdirSync(output, { recursive: true });
      writeFileSync(
        join(output, 'capture.json'),
        JSON.stringify(
          captureJson({
            scope: { mode: selection?.scope ?? 'reachable', tracked_regions: 1, tracked_bytes: 1 },
            ...json,
          }),
        ),
      );
      print({ ...capturedEvent(id, output), ordinal });
    });
    const whole = {
      event: 'summary',
      processes: 1,
      queues: 1,
      dispatches: 3,
      kernels: [{ name: 'saxpy(float*, float)', dispatches: 3 }],
      ...summary,
    };
    print({
      selections: config.selections.map(({ id, match }) => ({ id, matches: matchesOf(match, whole.kernels) })),
      ...whole,
    });
    return 0;
  };
}

function matchesOf(match: string, kernels: { name: string; dispatches: number }[]): number {
  return kernels
    .filter(({ name }) => new RegExp(match).test(name))
    .reduce((sum, { dispatches }) => sum + dispatches, 0);
}

function captureAll(config: RecorderConfig, _print: (event: object) => void, capture: (id: string) => void): void {
  for (const { id, limit } of config.selections) if (limit > 0) capture(id);
}

function capturedEvent(id: string, output: string): object {
  return {
    event: 'captured',
    id,
    output,
    bytes_raw: 4096,
    bytes_stored: 1024,
    regions: 1,
    bytes_tracked: 1 << 30,
    kernel: 'saxpy(float*, float)',
    geometry: { grid_blocks: [4, 1, 1], block_threads: [256, 1, 1] },
    wave_instructions: 1000,
  };
}

export const passed = {
  event: 'result',
  verdict: 'pass',
  compared_bytes: 4096,
  changed_bytes: 4096,
  differing_bytes: 0,
  wave_instructions: 1000,
};

export const differed = { ...passed, verdict: 'fail', differing_bytes: 4 };

export const difference = {
  event: 'difference',
  region: 'r0',
  offset: 8,
  bytes: 4,
  first_expected: '00',
  first_actual: '01',
  differing_bytes: 4,
};

/** Description of a GPU by kernloop-replay. */
export const cudaDevice = {
  event: 'device',
  kind: 'cuda',
  name: 'NVIDIA H200',
  uuid: 'GPU-01234567-89ab-cdef-0123-456789abcdef',
  isa: 'sm_90',
  driver_version: '580.65.06',
  cuda_version: '13.0',
  total_memory_bytes: 150754820096,
  multiprocessors: 132,
  l2_bytes: 62914560,
  pci_bus_id: '0000:18:00.0',
};

/** A kernloop-replay that describes this GPU and calls `answer` for everything else. */
export function fakeCudaReplay(answer: (args: readonly string[]) => object[] = () => [passed]): FakeProgram {
  return fakeReplay((args) => (args.includes('--describe-device') ? [cudaDevice] : answer(args)));
}

/** A shell that holds a lock which nobody else requests. */
export const fakeLock: FakeProgram = async ({ print, stdinClosed }) => {
  print('held');
  await stdinClosed;
  return 0;
};

/** This GPU as a device, without running a program. */
export function cudaOf(workspace: TestWorkspace): Device {
  return {
    description: { kind: 'cuda', identity: 'cuda-sm_90-1', isa: 'sm_90', name: 'NVIDIA H200', wavefront_size: 32 },
    work: 'duration_ns',
    seeded: false,
    measuring: { iterations: 30, warmup: 3, cache: 'warm' },
    lock: null,
    env: {},
    agent: { variable: 'CUDA_INJECTION64_PATH', library: workspace.native.agentCuda, environment: () => ({}) },
    appLibraries: () => ({}),
    runtime: null,
    hasNvrtc: true,
    hasSanitizer: true,
    hasPtx: true,
    replayArguments: [],
  };
}

/** The value of a flag in an argument list. */
export function flag(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

const exits: Record<string, number> = { pass: 0, ran: 0, fail: 1, vacuous: 3, fault: 4, limit: 4 };

/** A kernloop-replay that prints the result of `answer` and exits with the code of its verdict. */
export function fakeReplay(answer: (args: readonly string[]) => object[] = () => [passed]): FakeProgram {
  return ({ args, print }) => {
    let code = 5;
    for (const event of answer(args)) {
      print(event);
      if ('event' in event && event.event === 'device') code = 0;
      if ('verdict' in event) code = exits[String(event.verdict)] ?? 5;
    }
    return code;
  };
}
