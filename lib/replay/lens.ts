import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withDevice } from '../device/lock';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { writeJson } from '../support/files';
import { formatCount } from '../support/report';
import { judging, warnIfUnproven } from './check';
import { judgedBy, type Judged } from './judged';
import { lensLimit } from './limit';
import type { ReplayingOptions } from './options';
import type { ReplayRequest } from './program';
import type { IterationEvent, LensEvent } from './replay-events';
import type { LensResult } from './result';
import { openSessions, type ReplaySession } from './session';
import { replayWithinLimit } from './within-limit';

/** State of a variant that belongs to a lens and not to the kernel (docs/replay.md, "Lenses"). */
export interface Lens {
  /** Module variables that the captured code lacks, by name or by prefix. */
  variables?: readonly ({ name: string } | { prefix: string })[];
  buffers?: readonly { id: string; bytes: number; fill?: number }[];
  /** Parameters after the kernel's own, in this order. A list has one value for each iteration. */
  parameters?: readonly ({ buffer: string } | { u64: bigint } | { u32: number | readonly number[] })[];
}

export interface LensReplayOptions extends ReplayingOptions {
  lens: Lens;
  /** Folder for `<dispatch>/<name>.bin`; existing files are not overwritten. */
  output: string;
  /** Whether to compare memory with what the app computed. */
  judge?: boolean;
  iterations?: number;
  seed?: number;
  threads?: number;
}

/** Content of a variable or a buffer after the last replay. */
export interface LensContent {
  /** Name of the variable, or id of the buffer. */
  name: string;
  path: string;
  /** Address on the device, in hex: pointers within the content refer to it. */
  address: string;
  bytes: number;
  sha256: string;
}

export interface LensReplay extends Judged {
  dispatch: number;
  /** Folder of the capture, relative to the reproducer. */
  capture: string;
  /** Bytes of the lens, which no verdict includes. */
  lensBytes: number;
  waveInstructions: number | null;
  iterations: IterationEvent[];
  folder: string;
  variables: LensContent[];
  buffers: LensContent[];
}

/** Replays a variant with a lens over each chosen dispatch, and returns the lens's content. */
export async function replayThroughLens(options: LensReplayOptions, deps: Deps): Promise<LensReplay[]> {
  const { sessions } = await openSessions(options, deps, 'main');
  const [first] = sessions;
  requireVariant(first);
  for (const session of sessions) warnIfUnproven(session, deps);
  return await withDevice(first.device, deps, async () => {
    const replays: LensReplay[] = [];
    for (const session of sessions) replays.push(await replayOne(session, options, deps));
    return replays;
  });
}

export function requireVariant({ code }: ReplaySession): void {
  if (code.kind === 'variant') return;
  throw new KernloopError(
    'USAGE',
    'a lens tells of what the captured code does not have, and the captured code is what would run',
    'name the instrumented code object with --variant',
  );
}

/** Raises the limit: an instrumented variant executes several times as many instructions without hanging. */
export function lensArguments({ request }: ReplaySession, file: string, output: string): Partial<ReplayRequest> {
  const limit = request.limitWaveInstructions;
  return {
    lens: { file, output },
    ...(limit === undefined ? {} : { limitWaveInstructions: lensLimit(limit) }),
  };
}

async function replayOne(session: ReplaySession, options: LensReplayOptions, deps: Deps): Promise<LensReplay> {
  const { dispatch, device, request } = session;
  const folder = join(resolve(options.output), String(dispatch.dispatch));
  const file = join(folder, 'request.json');
  if (existsSync(file)) {
    throw new KernloopError(
      'TARGET_EXISTS',
      `${file} is there already, and a lens overwrites nothing`,
      'name another folder, or remove it',
    );
  }
  mkdirSync(folder, { recursive: true });
  writeJson(file, lensFile(options.lens));
  const seed = options.seed ?? (device.seeded ? 1 : undefined);
  const outcome = await replayWithinLimit(
    {
      ...request,
      ...lensArguments(session, file, folder),
      ...(options.judge ? { ...judging(session), compare: true } : {}),
      iterations: options.iterations ?? 1,
      ...(seed === undefined ? {} : { seed }),
      ...(options.threads === undefined ? {} : { threads: options.threads }),
    },
    device,
    deps,
  );
  const { result, iterations, lens } = outcome;
  return {
    dispatch: dispatch.dispatch,
    capture: dispatch.shown,
    ...judgedBy(outcome),
    lensBytes: result.lens_bytes ?? 0,
    waveInstructions: result.wave_instructions ?? null,
    iterations,
    folder,
    ...contentsOf(lens, folder),
  };
}

/** Lens in the format "kernloop.lens/1", which kernloop-replay reads. */
export function lensFile({ variables = [], buffers = [], parameters = [] }: Lens): object {
  return {
    schema: 'kernloop.lens/1',
    variables,
    buffers: buffers.map(({ id, bytes, fill = 0 }) => ({ id, bytes, fill: hex(fill) })),
    parameters: parameters.map((parameter) => {
      if ('buffer' in parameter) return parameter;
      if ('u64' in parameter) return { u64: hex(parameter.u64) };
      const { u32 } = parameter;
      return { u32: typeof u32 === 'number' ? hex(u32) : u32.map(hex) };
    }),
  };
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

function contentsOf(lens: LensEvent | null, folder: string): Pick<LensReplay, 'variables' | 'buffers'> {
  const content = (
    name: string,
    { file, address, bytes, sha256 }: Omit<LensContent, 'name' | 'path'> & { file: string },
  ): LensContent => ({ name, path: join(folder, file), address, bytes, sha256 });
  return {
    variables: lens?.variables.map((one) => content(one.name, one)) ?? [],
    buffers: lens?.buffers.map((one) => content(one.id, one)) ?? [],
  };
}

/** Result of `kernloop replay --lens`. */
export function lensResult({ bytes, variables, buffers }: LensEvent, folder: string): LensResult {
  return {
    folder,
    bytes,
    variables: variables.map(({ name, file, bytes: size }) => ({ name, file, bytes: size })),
    buffers: buffers.map(({ id, file, bytes: size }) => ({ name: id, file, bytes: size })),
  };
}

export function lensLine({ folder, bytes, variables, buffers }: LensResult): string {
  return `lens: ${formatCount(bytes)} bytes not judged, of ${formatCount(variables.length)} variables and ${formatCount(buffers.length)} buffers: ${folder}`;
}

/** Reads the content if it has at most `maxBytes`. */
export function readLensContent({ name, path, bytes }: LensContent, maxBytes: number): Buffer {
  if (bytes > maxBytes) {
    throw new KernloopError(
      'FILE_TOO_LARGE',
      `${name} of the lens has ${bytes} bytes, and ${maxBytes} were expected at most`,
      `read ${path} piece by piece`,
    );
  }
  const size = statSync(path).size;
  if (size === bytes) return readFileSync(path);
  throw new KernloopError(
    'NATIVE_FAILED',
    `${path} has ${size} bytes, and kernloop-replay told of ${bytes}`,
    'replay once more; if it stays, report it',
  );
}
