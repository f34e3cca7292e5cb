import { basename, dirname, join, resolve } from 'node:path';
import { selectedKernels, type App } from '../app/app';
import { countOf, dispatchesForm, parseDispatches, type Dispatches, type OrdinalRange } from '../app/dispatches';
import type { Each, KernelEntry, Scope } from '../app/kernloop-json';
import { KernloopError, messageOf } from '../support/error';
import type { CaptureOptions } from './options';
import type { RecorderSelection } from '../recorder/recorder-config';

/** Which dispatches of one kernel of kernloop.json are captured, and where to. */
export interface Selection {
  name: string;
  match: string;
  wholeName: boolean;
  dispatches: Dispatches;
  each: Each;
  /** The most captures to take; more than this many ordinals are not asked for. */
  limit: number;
  after: { match: string; count: number } | null;
  scope: Scope;
  /** Raw bytes of one capture; 0 is no limit. */
  maxBytes: number;
  output: string;
}

/** What one run of the app is to do for a selection. */
export interface Request {
  selection: Selection;
  ordinals: OrdinalRange[];
  each: Each;
  scope: Scope;
  /** Nothing is captured: the last dispatches are known only after a run. */
  counting: boolean;
  /** How many dispatches matched when they were counted. */
  counted: number | null;
}

const defaultLimit = 16;

export function selectionsOf(app: App, options: CaptureOptions): Selection[] {
  const names = selectedKernels(app, options.kernel);
  for (const option of ['match', 'output'] as const) {
    if (options[option] !== undefined && names.length > 1) {
      throw new KernloopError(
        'USAGE',
        `--${option} is for a single kernel, but ${names.length} are selected`,
        'name one with --kernel',
      );
    }
  }
  return names.map((name) => selectionOf(app, name, options));
}

function selectionOf(app: App, name: string, options: CaptureOptions): Selection {
  const declared: KernelEntry =
    options.match === undefined ? app.kernel(name) : { name, match: options.match, ordinal: 1, scope: 'reachable' };
  const each = options.each ?? declared.each ?? 'dispatch';
  const after = options.after ?? declared.after;
  const selection: Selection = {
    name,
    match: checkedRegex('match', declared.match),
    wholeName: options.wholeName ?? declared.wholeName ?? false,
    dispatches: dispatchesOf(declared, options, each),
    each,
    limit: options.limit ?? declared.limit ?? defaultLimit,
    after:
      after === undefined
        ? null
        : { match: checkedRegex('after', after), count: options.afterCount ?? declared.afterCount ?? 1 },
    scope: options.scope ?? declared.scope,
    maxBytes: options.maxBytes,
    output: options.output === undefined ? app.capture(name) : resolve(options.output),
  };
  checkLimit(selection);
  return selection;
}

function dispatchesOf(declared: KernelEntry, options: CaptureOptions, each: Each): Dispatches {
  if (options.ordinal !== undefined && options.dispatch !== undefined) {
    throw new KernloopError('USAGE', '--ordinal and --dispatch both say which dispatches', 'give one of them');
  }
  const given = options.dispatch ?? (options.ordinal === undefined ? undefined : String(options.ordinal));
  const ofKernel = declared.dispatch ?? (declared.ordinal === 1 ? undefined : String(declared.ordinal));
  const text = given ?? ofKernel ?? (each === 'dispatch' ? '1' : '1-');
  const dispatches = parseDispatches(text);
  if (dispatches) return dispatches;
  throw new KernloopError('USAGE', `--dispatch "${text}" names no dispatches`, `give ${dispatchesForm}`);
}

function checkLimit({ name, dispatches, each, limit }: Selection): void {
  const count = countOf(dispatches);
  if (each !== 'dispatch' || count === null || count <= limit) return;
  throw new KernloopError(
    'USAGE',
    `${name}: ${count} dispatches are asked for, and at most ${limit} are captured`,
    `raise --limit to ${count}, or ask for fewer`,
  );
}

/** Both sides of the capture match with it: what only one of them understands is refused at once. */
function checkedRegex(option: string, source: string): string {
  try {
    new RegExp(source);
  } catch (error) {
    throw new KernloopError(
      'USAGE',
      `--${option}: ${messageOf(error)}`,
      'give a valid regular expression (ECMAScript)',
      { cause: error },
    );
  }
  const foreign = /\(\?<[=!a-zA-Z_]|\\[pP]\{|\\k<|\\[1-9c]|\[[^\]]*\[[:.=]/.exec(source);
  if (!foreign) return source;
  throw new KernloopError(
    'USAGE',
    `--${option}: "${foreign[0]}" of /${source}/ is not supported`,
    'write it without look-behind, named groups, back-references, control characters, Unicode and POSIX classes',
  );
}

/** Whether there may be more than one capture of it. */
export function takesSeveral({ dispatches, each }: Selection): boolean {
  return each !== 'dispatch' || countOf(dispatches) !== 1;
}

/** Where captures go that have no other place: `captures/<ordinal>` beside `capture`. */
export function outputsOf(output: string): string {
  return join(dirname(output), `${basename(output)}s`);
}

export function firstRequest(selection: Selection): Request {
  const { dispatches, each, scope } = selection;
  const counting = 'last' in dispatches;
  return { selection, ordinals: counting ? [[1, null]] : dispatches.ranges, each, scope, counting, counted: null };
}

export function recorderSelection(request: Request): RecorderSelection {
  const { selection, ordinals, each, scope, counting, counted } = request;
  const { name, match, wholeName, limit, after, maxBytes, output } = selection;
  const one = !takesSeveral(selection);
  return {
    id: name,
    match,
    whole: wholeName,
    ordinals,
    each,
    limit: counting ? 0 : one ? 1 : limit,
    to_end: counting || counted !== null,
    ...(after ? { after } : {}),
    scope,
    byte_budget: maxBytes,
    ...(one ? { output } : { outputs: outputsOf(output) }),
  };
}
