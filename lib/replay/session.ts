import { relative, resolve } from 'node:path';
import { captureDigest, captureFile, captureFiles, selfcheckFile, type CaptureJson } from '../archive/capture-files';
import type { Device } from '../device/device';
import { missingChunks, storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { fetchLacking } from '../remote/fetch-lacking';
import { chooseDispatches, type CapturedDispatch, type ChosenDispatches } from './captured-dispatches';
import { openReplayDevice } from './replay-device';
import type { ReplayingOptions } from './options';
import type { ReplayRequest } from './program';
import { symbolIn } from './kernel-symbol';
import { chooseCode, openReproducer, outdatedCandidate, type Code, type Reproducer } from '../reproducer/reproducer';
import { configOf } from '../reproducer/kernel-args';
import { configuredLaunch } from '../reproducer/configured-launch';
import type { KernelJson } from '../reproducer/kernel-json';
import { instructionLimit } from './limit';
import { readRegularFile, refuseSpecialFiles } from '../support/regular-file';
import { describeCode, type Described } from '../toolchain/described-code';

/** State that replay and validate start from: the reproducer, a complete capture, the device and the code. */
export interface ReplaySession {
  /** Reproducer whose `capture` is that of this session. */
  reproducer: Reproducer;
  dispatch: CapturedDispatch;
  capture: CaptureJson;
  device: Device;
  code: Code;
  /** Facts of a variant's code, as it was when the session was opened; null for the captured code. */
  facts: Described | null;
  request: ReplayRequest;
}

/** A session for each chosen dispatch, ordered by number, and the captures beside them. */
export interface ReplaySessions extends Omit<ChosenDispatches, 'chosen'> {
  sessions: [ReplaySession, ...ReplaySession[]];
}

/** `given`: code that is not the reproducer's own. */
export async function openSessions(
  options: ReplayingOptions,
  deps: Deps,
  whenLeftOut: 'all' | 'main',
  given?: Code,
  reproducer = openReproducer(options.reproducer),
): Promise<ReplaySessions> {
  const { chosen, ...beside } = chooseDispatches(
    reproducer,
    options.capture ?? numberOfFolder(options.reproducer, reproducer),
    whenLeftOut,
  );
  // Chosen before anything is fetched, which may take long: the build was looked at just now.
  const code = given ?? chooseCode(reproducer, options.variant);
  const stored: { dispatch: CapturedDispatch; stores: string[] }[] = [];
  for (const dispatch of chosen) {
    refuseSpecialFiles(dispatch.folder, captureFiles);
    const stores = storesFor(dispatch.folder, deps.env, options.store);
    await fetchLacking(reproducer, dispatch.folder, stores, deps);
    requireChunks(reproducer, dispatch.folder, stores);
    stored.push({ dispatch, stores });
  }
  if (given === undefined && options.variant === undefined) tellOfOutdated(reproducer, deps);
  const [first, ...others] = stored;
  if (!first) throw new Error('the capture in capture/ is of its own kernel');
  const captures = others.map(({ dispatch }) => dispatch.capture);
  const device = await openReplayDevice(options, [first.dispatch.capture, ...captures], deps);
  const facts = code.kind === 'variant' ? await describeCode(readRegularFile(code.path), deps) : null;
  const open = ({ dispatch, stores }: typeof first): ReplaySession =>
    sessionOf(
      { ...reproducer, config: configOf(reproducer.config, dispatch.capture), capture: dispatch.folder },
      dispatch,
      stores,
      { code, facts },
      device,
      options,
    );
  return { sessions: [open(first), ...others.map(open)], ...beside };
}

/** The dispatch whose folder was named in place of the reproducer: captures/2. */
export const numberOfFolder = (named: string, { root }: Reproducer): string | undefined =>
  /^captures[/\\](\d+)$/.exec(relative(root, resolve(named)))?.[1];

function tellOfOutdated(reproducer: Reproducer, { report }: Deps): void {
  const outdated = outdatedCandidate(reproducer);
  if (outdated === undefined) return;
  const { file, edited } = outdated;
  report.warn(`${file} is of the text before ${edited} was edited, and is not taken: --variant ${file} takes it`);
}

function sessionOf(
  reproducer: Reproducer,
  dispatch: CapturedDispatch,
  stores: readonly string[],
  { code, facts }: Pick<ReplaySession, 'code' | 'facts'>,
  device: Device,
  options: ReplayingOptions,
): ReplaySession {
  const { capture } = dispatch;
  requireIsa(capture.device.isa, device);
  return {
    reproducer,
    dispatch,
    capture,
    device,
    code,
    facts,
    request: {
      capture: reproducer.capture,
      stores,
      expect: judgedFiles(reproducer, capture, code),
      ...codeArguments(code, facts, capture),
      ...ownLaunch(code, capture, reproducer.config),
      ...(options.launch === undefined ? {} : { launch: options.launch }),
      ...(options.guard ? { guard: true } : {}),
      ...limits(capture, device, options),
    },
  };
}

/** Digests that every replay of the session must find: files may change, or be swapped during one replay. */
function judgedFiles(
  { capture: folder, files }: Reproducer,
  capture: CaptureJson,
  code: Code,
): Readonly<Record<string, string>> {
  const selfcheck = files.digestOfWhole(selfcheckFile(folder));
  return {
    [captureFile(folder)]: captureDigest(capture),
    ...(selfcheck === undefined ? {} : { [selfcheckFile(folder)]: selfcheck }),
    ...(code.kind === 'variant' ? { [code.path]: code.sha256 } : {}),
  };
}

/** A cubin runs on GPUs of its major version with at least its minor version; code of sm_90a runs only on sm_90. */
function requireIsa(captured: string, { description }: Device): void {
  const [mine, theirs] = [smVersion(description.isa), smVersion(captured)];
  if (!mine || !theirs) return;
  const runs =
    mine.major === theirs.major && (theirs.specific ? mine.minor === theirs.minor : mine.minor >= theirs.minor);
  if (runs) return;
  throw new KernloopError(
    'DEVICE_MISMATCH',
    `the captured code is for ${captured}, and ${description.name} is ${description.isa}`,
    'replay it on a GPU of that kind (--gpu), or capture on this one',
  );
}

/** Parses an architecture: sm_90 is 9.0, sm_103a is 10.3 and specific to it; undefined for other devices. */
function smVersion(isa: string): { major: number; minor: number; specific: boolean } | undefined {
  const [, major, minor, suffix] = /^sm_(\d+)(\d)([a-z]?)$/.exec(isa) ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor), specific: suffix === 'a' } : undefined;
}

function requireChunks(reproducer: Reproducer, capture: string, stores: readonly string[]): void {
  const missing = missingChunks(capture, stores);
  if (missing.length === 0) return;
  const named = missing.slice(0, 3).join(', ');
  throw new KernloopError(
    'CHUNK_MISSING',
    `${missing.length} chunks of ${capture} are in no store (${named}${missing.length > 3 ? ', …' : ''}); looked in ${stores.join(', ')}`,
    `capture again (\`nx run ${reproducer.config.app.name}:extract-kernel\` or \`kernloop capture\`), set KERNLOOP_STORE to a store that has them, or KERNLOOP_REMOTE to a server`,
  );
}

function codeArguments(code: Code, facts: Described | null, { kernel }: CaptureJson): Partial<ReplayRequest> {
  return code.kind === 'captured' ? {} : { codeObject: code.path, symbol: symbolIn(code.path, facts, kernel.symbol) };
}

/** The same request for the captured code, launched as the app did. */
export function requestOfCaptured({ request }: Pick<ReplaySession, 'request'>): ReplayRequest {
  const { codeObject: _code, symbol: _symbol, ownLaunch: _own, grid: _grid, block: _block, ...rest } = request;
  const { dynamicShared: _shared, args: _args, ...captured } = rest;
  return captured;
}

/** Launch parameters of a variant whose source sets them, as far as they differ from the app's. */
function ownLaunch(code: Code, capture: CaptureJson, { args }: KernelJson): Partial<ReplayRequest> {
  if (code.kind === 'captured') return {};
  if (code.configuration !== undefined) {
    const configured = configuredLaunch(code.configuration, capture, args);
    return Object.keys(configured).length === 0 ? {} : { ...configured, ownLaunch: true };
  }
  if (code.launch === undefined) return {};
  const { geometry } = capture;
  const { grid, block, shared } = code.launch;
  const isSame = (mine: readonly number[], captured: readonly number[]): boolean => mine.join() === captured.join();
  const changed = {
    ...(isSame(grid, geometry.grid_blocks) ? {} : { grid: grid.join() }),
    ...(isSame(block, geometry.block_threads) ? {} : { block: block.join() }),
    ...(shared === geometry.group_segment_bytes ? {} : { dynamicShared: shared }),
  };
  return Object.keys(changed).length === 0 ? {} : { ...changed, ownLaunch: true };
}

/** Limits instructions if the device counts them, independently of the machine's speed; otherwise seconds. */
function limits(capture: CaptureJson, device: Device, options: ReplayingOptions): Partial<ReplayRequest> {
  const instructions = capture.execution.wave_instructions;
  return device.work === 'wave_instructions' && instructions !== null && instructions !== undefined
    ? { limitWaveInstructions: instructionLimit(instructions, options.limitFactor) }
    : { limitSeconds: options.limitSeconds };
}

export function nameOfCode(code: Code): string {
  if (code.kind === 'variant') return `variant ${code.shown}`;
  return code.note ? `the captured code (${code.note})` : 'the captured code';
}
