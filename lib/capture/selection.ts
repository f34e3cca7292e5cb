import { basename, dirname, join, resolve } from 'node:path';
import { selectedKernels, type App } from '../app/app';
import { countOf, dispatchesForm, parseDispatches, type Dispatches, type OrdinalRange } from '../app/dispatches';
import type { Each, KernelEntry, Scope } from '../app/kernloop-json';
import { beyondBounds, problemOfExpression, shorterExpression } from '../app/name-expression';
import { KernloopError } from '../support/error';
import type { CaptureOptions } from './options';
import type { Reporter } from '../support/report';
import { fieldOf, jsonReader } from '../support/lenient-json';
import { kernelFile } from '../support/project-file-names';
import type { RecorderSelection } from '../recorder/recorder-config';

/** Dispatches of a kernel of kernloop.json to capture, and where to write them. */
export interface Selection {
  name: string;
  match: string;
  wholeName: boolean;
  dispatches: Dispatches;
  /** Whether the user said which of the matching dispatches, as of an autotuner's configurations: not just the first. */
  isPositioned: boolean;
  each: Each;
  /** Maximum number of captures; no more ordinals than this are requested. */
  limit: number;
  after: { match: string; count: number } | null;
  scope: Scope;
  /** Raw bytes of a capture; 0 means no limit. */
  maxBytes: number;
  output: string;
  /** Kernels that kernloop.json means by the name, if another expression selects: `--match`. */
  declared?: Pick<KernelEntry, 'match' | 'wholeName'>;
  /**
   * Kernel of the project there, which is not to get the capture of another. `isChosen`: the command chose the launch;
   * else the kernel may be another one now, if the app no longer launches that one.
   */
  ofProject?: { kernel: string; isChosen: boolean };
  /** Whether the capture goes to a place of the user's, which is no project of the declared kernel. */
  isElsewhere: boolean;
  /** Folder in which the capture is made, if `output` or a folder beside it holds a checked one. */
  staging?: string;
}

/** Task of one run of the app for a selection. */
export interface Request {
  selection: Selection;
  ordinals: OrdinalRange[];
  each: Each;
  scope: Scope;
  /** Counts without capturing: only a complete run shows which dispatches are the last. */
  counting: boolean;
  /** Number of matching dispatches in the counting run. */
  counted: number | null;
}

/** `reset`: of extract, which may make a project one of another kernel. */
export type CapturingOptions = CaptureOptions & { readonly reset?: boolean };

const defaultLimit = 16;

export function selectionsOf(app: App, options: CapturingOptions, report: Pick<Reporter, 'info'>): Selection[] {
  const selected = selectedKernels(app, options.kernel, report);
  const names =
    options.kernel.length === 0 && options.match !== undefined ? fitting(app, selected, options.match) : selected;
  for (const option of ['match', 'output'] as const) {
    if (options[option] !== undefined && names.length > 1) {
      throw new KernloopError(
        'USAGE',
        `--${option} is for a single kernel, but ${names.length} are selected`,
        `name one with --kernel: ${names.join(', ')}`,
      );
    }
  }
  return names.map((name) => selectionOf(app, name, options));
}

/** The one declared kernel that an expression can only mean: by its name or by its own expression. Else all of them. */
function fitting(app: App, names: readonly string[], match: string): readonly string[] {
  const pattern = new RegExp(checkedRegex('match', match));
  const found = names.filter((name) => pattern.test(name) || pattern.test(app.kernel(name).match));
  return found.length === 1 ? found : names;
}

function selectionOf(app: App, name: string, options: CapturingOptions): Selection {
  const declared: KernelEntry =
    options.match === undefined ? app.kernel(name) : { name, match: options.match, ordinal: 1, scope: 'reachable' };
  const each = options.each ?? declared.each ?? 'dispatch';
  const after = options.after ?? declared.after;
  const selection: Selection = {
    name,
    match: checkedRegex('match', declared.match),
    wholeName: options.wholeName ?? declared.wholeName ?? false,
    dispatches: dispatchesOf(declared, options, each),
    isPositioned: after !== undefined || positionOf(declared, options) !== undefined,
    each,
    limit: options.limit ?? declared.limit ?? defaultLimit,
    after:
      after === undefined
        ? null
        : { match: checkedRegex('after', after), count: options.afterCount ?? declared.afterCount ?? 1 },
    scope: options.scope ?? declared.scope,
    maxBytes: options.maxBytes,
    output: options.output === undefined ? app.capture(name) : resolve(options.output),
    isElsewhere: options.output !== undefined,
    ...(options.match === undefined ? {} : { declared: app.kernel(name) }),
    ...kernelOfProject(app, name, options),
  };
  checkLimit(selection);
  return selection;
}

function kernelOfProject(app: App, name: string, options: CapturingOptions): Pick<Selection, 'ofProject'> {
  if (options.output !== undefined || options.reset === true) return {};
  const kernel = fieldOf(jsonReader()(join(app.reproducer(name), kernelFile)), 'demangled');
  const isChosen = [options.ordinal, options.dispatch, options.after].some((one) => one !== undefined);
  return typeof kernel === 'string' ? { ofProject: { kernel, isChosen } } : {};
}

function dispatchesOf(declared: KernelEntry, options: CapturingOptions, each: Each): Dispatches {
  if (options.ordinal !== undefined && options.dispatch !== undefined) {
    throw new KernloopError('USAGE', '--ordinal and --dispatch both say which dispatches', 'give one of them');
  }
  const text = positionOf(declared, options) ?? (each === 'dispatch' ? '1' : '1-');
  const dispatches = parseDispatches(text);
  if (dispatches) return dispatches;
  throw new KernloopError('USAGE', `--dispatch "${text}" names no dispatches`, `give ${dispatchesForm}`);
}

function positionOf(declared: KernelEntry, options: CapturingOptions): string | undefined {
  const given = options.dispatch ?? (options.ordinal === undefined ? undefined : String(options.ordinal));
  return given ?? declared.dispatch ?? (declared.ordinal === 1 ? undefined : String(declared.ordinal));
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

/** Refuses a pattern that only one side of the capture, C++ or JavaScript, understands: both match with it. */
function checkedRegex(option: string, source: string): string {
  const problem = problemOfExpression(source);
  if (problem !== null) {
    const next = beyondBounds(source) === null ? 'give a valid regular expression (ECMAScript)' : shorterExpression;
    throw new KernloopError('USAGE', `--${option}: ${problem}`, next);
  }
  const foreign = /\(\?<[=!a-zA-Z_]|\\[pP]\{|\\k<|\\[1-9c]|\[[^\]]*\[[:.=]/.exec(source);
  if (!foreign) return source;
  throw new KernloopError(
    'USAGE',
    `--${option}: "${foreign[0]}" of /${source}/ is not supported`,
    'write it without look-behind, named groups, back-references, control characters, Unicode and POSIX classes',
  );
}

/** Whether the selection may give more than one capture. */
export function takesSeveral({ dispatches, each }: Selection): boolean {
  return each !== 'dispatch' || countOf(dispatches) !== 1;
}

/** Folder for captures without another place: `captures/<ordinal>` beside `capture`. */
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
  const { name, match, wholeName, limit, after, maxBytes } = selection;
  const output = selection.staging ?? selection.output;
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
