import { commandText } from '../support/command-text';
import { formatRanges, joined, type OrdinalRange } from '../app/dispatches';
import { inputHint } from '../app/input';
import { isMatched, plainName } from '../app/kernel-match';
import type { KernelEntry } from '../app/kernloop-json';
import type { LaunchObstacle } from '../app/launch';
import { deviceWords } from '../device/words';
import { KernloopError, nearest } from '../support/error';
import { matchFor } from '../profile/launched-kernels';
import { isErrorCode } from '../support/error-codes';
import { formatCount } from '../support/report';
import { agentDeclined, descriptorsClosed, forkedAfterInit, launchedInGraphs } from '../recorder/notes';
import { appFailed, faultHint, type FailedRun } from '../recorder/app-failed';
import { foreignCode } from '../recorder/foreign-code';
import { appProcesses, processLines } from '../recorder/processes';
import type { RefusedEvent, SummaryEvent } from '../recorder/recorder-events';
import { takesSeveral, type Request, type Selection } from './selection';

export interface Seen extends FailedRun {
  summary: SummaryEvent;
  /** Dispatches that the selection counted, in the process with the most. */
  matches: number;
  kernels: { name: string; symbol: string }[];
  refused: RefusedEvent[];
  /** Known reason why no agent reported. */
  obstacle?: LaunchObstacle | undefined;
}

/** Explains why a request gave no capture, with the most useful true reason. `seen.refused` has its refusals. */
export function whyNotCaptured({ selection, ordinals }: Request, seen: Seen): KernloopError {
  const { name } = selection;
  const refusal = seen.refused.at(-1);
  const closed = descriptorsClosed(seen.notes);
  if (closed && (!refusal || refusal.code === 'AGENT_LOST')) return closed;
  const died = refusal?.code === 'AGENT_LOST' && seen.appEnd.exitCode !== 0;
  if (refusal && !died) {
    const code = isErrorCode(refusal.code) ? refusal.code : 'CAPTURE_REFUSED';
    const named = code === refusal.code ? '' : `${refusal.code}: `;
    const which =
      takesSeveral(selection) && refusal.ordinal !== undefined ? `dispatch ${refusal.ordinal} of ${name}` : name;
    return new KernloopError(
      code,
      `${which} was not captured: ${named}${refusal.reason}`,
      (code === 'DEVICE_FAULT' ? faultHint(refusal.reason) : refusal.hint) ||
        'capture another dispatch of it with --dispatch',
    );
  }
  const { obstacle } = seen;
  if (seen.summary.processes === 0 && obstacle) return new KernloopError(obstacle.code, obstacle.what, obstacle.hint);
  if (seen.appEnd.exitCode !== 0) return neverSeen(selection, notReached(`${name} was captured`, seen), seen);
  return neverLaunched(seen) ?? neverMatched(selection, ordinals, seen);
}

/**
 * Refuses a selection of the first launch whose expression matches several kernels: which one comes first is the app's
 * order, not the user's choice. Undefined if one kernel matches, one of each was asked for, or the user said which
 * launch (`oneOfSeveral` tells of that).
 */
export function severalMatched(
  selection: Selection,
  captured: readonly { kernel: string }[],
  { summary }: Pick<Seen, 'summary'>,
): KernloopError | undefined {
  const { name, match, declared, isPositioned } = selection;
  const matched = matchedBesides(selection, captured, summary);
  if (matched.length === 0 || isPositioned) return undefined;
  const meant = declared === undefined ? matched : matched.filter((kernel) => isMatched(declared, kernel));
  return new KernloopError(
    'USAGE',
    `${name}: ${matched.length} kernels match /${match}/, and which one is launched first is the app's choice. None was captured:\n${kernelLines(matched)}`,
    declared === undefined
      ? oneOf(name, matched, summary)
      : `give the whole of the one you mean: ${expressionsFor(meant, summary)
          .map((each) => `--match '${each}'`)
          .join(', ')}`,
  );
}

/** Says which kernel it was, if the expression of a launch that the user chose by its place matches several. */
export function oneOfSeveral(
  selection: Selection,
  captured: readonly { kernel: string }[],
  { summary }: Pick<Seen, 'summary'>,
): string | undefined {
  const matched = matchedBesides(selection, captured, summary);
  if (matched.length === 0) return undefined;
  const taken = [...new Set(captured.map(({ kernel }) => kernel))];
  return `${selection.name}: captured ${taken.join(' and ')}, of ${matched.length} kernels that match /${selection.match}/`;
}

/** Kernels that a selection of launches matches, if not all of them were captured; else none. */
function matchedBesides(
  { match, wholeName, each }: Selection,
  captured: readonly { kernel: string }[],
  summary: SummaryEvent,
): SummaryEvent['kernels'] {
  const taken = new Set(captured.map(({ kernel }) => kernel));
  const matched = matchedKernels({ match, wholeName }, summary);
  const isAll = matched.length < 2 || matched.every((kernel) => taken.has(kernel.name));
  return each !== 'dispatch' || taken.size === 0 || isAll ? [] : matched;
}

/**
 * Refuses captures of another kernel than kernloop.json declares by the name, and captures in the place of a
 * declaration that means several kernels: the reproducer there would be of one, and the next extract of another.
 */
export function otherThanDeclared(
  { name, match, declared, isElsewhere }: Selection,
  captured: readonly { kernel: string }[],
  { kernels, summary, app }: Pick<Seen, 'kernels' | 'summary' | 'app'>,
): KernloopError | undefined {
  if (declared === undefined || captured.length === 0) return undefined;
  const others = notOf(declared, captured, kernels);
  if (others.length > 0) {
    const matched = matchedKernels({ match }, summary);
    const expressions = expressionsFor(
      matched.filter((kernel) => others.includes(kernel.name)),
      summary,
    );
    return new KernloopError(
      'USAGE',
      `${name}: --match ${match} took ${others.join(' and ')}, which is not the kernel that ${app} declares as ${name} (/${declared.match}/); nothing was captured${matched.length > 1 ? `. It matches:\n${kernelLines(matched)}` : ''}`,
      `declare that kernel under its own name: ${(expressions.length > 0 ? expressions : [match])
        .map((one) => `\`${commandText(['kernloop', 'declare', 'NAME', '--match', one])}\``)
        .join(' or ')}`,
    );
  }
  const meant = matchedKernels(declared, summary);
  if (isElsewhere || meant.length < 2) return undefined;
  const [taken = match] = expressionsFor(
    meant.filter((kernel) => captured.some((one) => one.kernel === kernel.name)),
    summary,
  );
  return new KernloopError(
    'USAGE',
    `${name}: the expression of its entry (/${declared.match}/) fits ${meant.length} kernels of ${app}, and a project is of one; nothing was captured:\n${kernelLines(meant)}`,
    `${oneOf(name, meant, summary)}; or ${putElsewhere(name, taken)}`,
  );
}

/**
 * Refuses captures of another kernel than the project is of in whose place they would be, if the command chose the
 * launch, or the app launches the project's kernel all the same.
 */
export function otherThanProject(
  { name, ofProject }: Selection,
  captured: readonly { kernel: string }[],
  { summary, app }: Pick<Seen, 'summary' | 'app'>,
): KernloopError | undefined {
  const names = [...new Set(captured.map(({ kernel }) => kernel))];
  if (ofProject === undefined || names.length === 0 || names.includes(ofProject.kernel)) return undefined;
  const isLaunched = summary.kernels.some((kernel) => kernel.name === ofProject.kernel);
  if (!ofProject.isChosen && !isLaunched) return undefined;
  const expressionOf = (wanted: readonly string[]): string | undefined =>
    expressionsFor(
      summary.kernels.filter((kernel) => wanted.includes(kernel.name)),
      summary,
    )[0];
  const [other, own] = [expressionOf(names), expressionOf([ofProject.kernel])];
  // An entry that means the other launch keeps another one from being declared for it.
  const first =
    ofProject.isChosen || own === undefined
      ? ''
      : `write "match": ${JSON.stringify(own)} into the entry of ${name} in kernloop.json again, then `;
  return new KernloopError(
    'USAGE',
    `${name}: that launch is of ${names.join(' and ')}, and the project of ${name} is of ${ofProject.kernel}${isLaunched ? `, which ${app} launches, too` : ''}; nothing was captured, and what the project has stays`,
    `${first}declare that kernel under a name of its own: \`kernloop declare NAME${other === undefined ? '' : ` --match '${other}'`}\`; or ${putElsewhere(name)}; \`kernloop extract ${name} --reset\` makes the project one of that kernel, without your edits`,
  );
}

const putElsewhere = (name: string, match?: string): string =>
  `put this capture elsewhere: \`${commandText(['kernloop', 'capture', '--kernel', name, ...(match === undefined ? [] : ['--match', match]), '--output', 'FOLDER'])}\``;

const matchedKernels = (
  declared: Pick<KernelEntry, 'match' | 'wholeName'>,
  { kernels }: SummaryEvent,
): SummaryEvent['kernels'] => kernels.filter((kernel) => isMatched(declared, kernel));

/** Expressions that match one of the kernels each, and no other that was launched. */
function expressionsFor(kernels: SummaryEvent['kernels'], summary: SummaryEvent): string[] {
  const [launched, wanted] = [summary.kernels, kernels].map((list) =>
    list.map((kernel) => ({ ...kernel, symbol: kernel.symbol ?? kernel.name })),
  );
  return (wanted ?? []).slice(0, mostLines).map((kernel) => matchFor(kernel, launched ?? []));
}

/** Entries of kernloop.json as they are written there. */
const oneOf = (name: string, kernels: SummaryEvent['kernels'], summary: SummaryEvent): string =>
  `write one of these into the entry of ${name} in kernloop.json, and declare others under names of their own: ${expressionsFor(
    kernels,
    summary,
  )
    .map((each) => `"match": ${JSON.stringify(each)}`)
    .join(' or ')}`;

/** Names of captured kernels, each once, that a declaration does not select. */
function notOf(
  declared: Pick<KernelEntry, 'match' | 'wholeName'>,
  captured: readonly { kernel: string }[],
  kernels: Seen['kernels'],
): string[] {
  const isDeclared = (kernel: string): boolean =>
    [{ name: kernel }, ...kernels.filter((each) => each.name === kernel)].some((each) => isMatched(declared, each));
  return [...new Set(captured.map(({ kernel }) => kernel))].filter((kernel) => !isDeclared(kernel));
}

/** Explains why some of the requested ordinals are missing. */
export function whyFewer({ selection }: Request, missing: readonly number[], seen: Seen): KernloopError {
  const { name } = selection;
  const wanted = formatRanges(joined(missing.map((ordinal) => [ordinal, ordinal])));
  const closed = descriptorsClosed(seen.notes);
  if (closed) return closed;
  if (seen.appEnd.exitCode !== 0) return notReached(`dispatch ${wanted} of ${name}`, seen);
  if (missing.some((ordinal) => ordinal > seen.matches)) return outOfRange(selection, wanted, seen);
  return new KernloopError(
    'CAPTURE_REFUSED',
    `${name}: dispatch ${wanted} was not captured, though one process launched ${seen.matches} that match${toldBesides(seen)}`,
    'each process counts for itself, and the first one that launches any is captured; its log in .kernloop/logs says what it saw',
  );
}

/** The last dispatches of one run may not be the last of the next. */
export function countedDifferently({ selection, counted }: Request, { app, matches }: Seen): KernloopError {
  return new KernloopError(
    'RUNS_DIFFER',
    `${selection.name}: ${app} launched ${counted ?? 0} matching dispatches in one run and ${matches} in the next, so that what was captured need not be the last`,
    'capture by number with --dispatch, or make the app launch the same in every run (a seed, a fixed number of steps)',
  );
}

/** The error if a later run did not launch a kernel that an earlier run did. */
export function launchedOnce({ selection }: Request, { app, appEnd }: Seen): KernloopError {
  return new KernloopError(
    'RUNS_DIFFER',
    `${selection.name}: ${app} launched it in one run and not in the next, which a complete capture took`,
    `make the app launch the same in every run (a seed, no files of its own that it finds again${appEnd.readEmptyStdin ? '; an input: "stdin" in kernloop.json' : ''}); or capture another dispatch with --dispatch, or with --scope all, which takes one run`,
  );
}

function notReached(before: string, seen: Seen): KernloopError {
  return appFailed(
    ` before ${before}`,
    seen,
    'give it more time with --time-limit-seconds (0 is no limit), or capture an earlier dispatch',
  );
}

/** Names what the app launched before it failed, if nothing of it matched: the expression may be wrong as well. */
function neverSeen({ match }: Selection, failed: KernloopError, seen: Seen): KernloopError {
  const { matches, summary } = seen;
  if (matches > 0 || summary.dispatches === 0) return failed;
  const close = nearestKernels(match, seen);
  const count = `${atLeast(seen)}${formatCount(summary.dispatches)}`;
  // A name that is close to one that was launched is likely mistyped; or its launch would have come later.
  if (close.startsWith('did you mean'))
    return new KernloopError(
      failed.code,
      `none of the ${count} dispatches matched /${match}/; ${failed.what}`,
      `${close}\nor ${failed.hint}`,
    );
  return new KernloopError(
    failed.code,
    `${failed.what}; none of the ${count} dispatches before matched /${match}/`,
    `${failed.hint}; or correct the expression: ${close}`,
  );
}

/** The error if there was no process, no context or queue, no launch, or none that can be captured. */
function neverLaunched(seen: Seen): KernloopError | undefined {
  const { app, device, program, summary, notes, appEnd } = seen;
  const { runtime, queues, loadHint } = deviceWords(device.kind);
  if (summary.processes === 0) {
    return new KernloopError(
      'NO_AGENT',
      `${app} exited with code 0 but never loaded ${runtime}, so no kernel of it could be seen`,
      loadHint + inputHint(appEnd),
    );
  }
  const declined = summary.dispatches === 0 ? agentDeclined(notes) : undefined;
  if (declined) return declined;
  const forked = summary.dispatches === 0 ? forkedAfterInit(notes) : undefined;
  if (forked) return forked;
  if (summary.queues === 0) {
    return new KernloopError(
      'NO_QUEUE',
      `${app} loaded ${runtime} but created no ${queues}${processList(summary)}`,
      `check that the app uses the device in this run; if it does, it makes its ${queues} in a way that the agent does not see: report that with the log in .kernloop/logs`,
    );
  }
  const foreign = summary.dispatches === 0 ? foreignCode(program, device) : undefined;
  if (foreign) return new KernloopError(foreign.code, `${foreign.what}: ${app} launched no kernel`, foreign.hint);
  if (summary.dispatches === 0) {
    const inGraphs = launchedInGraphs(notes, () => true);
    if (inGraphs) return onlyInGraphs(`${app} launched kernels only as nodes of graphs: ${inGraphs.text}`);
    return new KernloopError(
      'NO_DISPATCH',
      `${app} created ${summary.queues} ${queues} but launched no kernel${processList(summary)}`,
      `check that the app reaches its kernels with these arguments${inputHint(appEnd)}`,
    );
  }
  return undefined;
}

/** If there are several processes, lists them: the one expected to launch the kernel may not be among them. */
function processList(summary: SummaryEvent): string {
  const processes = appProcesses(summary);
  return processes.length > 1 ? `:\n${processLines(processes.slice(0, shownProcesses)).join('\n')}` : '';
}

const shownProcesses = 16;

function onlyInGraphs(what: string): KernloopError {
  return new KernloopError(
    'GRAPH_LAUNCH',
    what,
    'run the app without graphs, where it has a switch for that, or capture the same kernel outside of the graph',
  );
}

function neverMatched(selection: Selection, ordinals: readonly OrdinalRange[], seen: Seen): KernloopError {
  const { name, match } = selection;
  const { summary, matches } = seen;
  const told = toldBesides(seen);
  const first = ordinals[0]?.[0] ?? 1;
  const pattern = matcher(match, seen);
  const inGraphs = launchedInGraphs(seen.notes, (symbol) => pattern(symbol));
  if (matches >= first) {
    if (inGraphs) return onlyInGraphs(`${name}: no dispatch of it could be captured: ${inGraphs.text}`);
    return new KernloopError(
      'CAPTURE_REFUSED',
      `${name}: ${matches} dispatches matched /${match}/, but the agent captured none${told}`,
      'its log in .kernloop/logs of the workspace says what it saw',
    );
  }
  if (matches > 0) return outOfRange(selection, formatRanges(ordinals), seen);
  if (inGraphs) return onlyInGraphs(`${name} was launched only as a node of graphs: ${inGraphs.text}`);
  const forked = forkedAfterInit(seen.notes);
  if (forked) return forked;
  const early = countMatches(match, seen);
  if (selection.after && early > 0) return neverAfter(selection, selection.after, early, seen);
  return new KernloopError(
    'NO_MATCH',
    `${name}: none of the ${atLeast(seen)}${formatCount(summary.dispatches)} dispatches matched /${match}/${told}`,
    `${literalName(match, summary)}${nearestKernels(match, seen)}${selection.declared ? '' : `\nif ${name} is not wanted, remove its entry from "kernels" of kernloop.json`}`,
  );
}

/** The expression for a name that was given in place of one. */
function literalName(match: string, summary: SummaryEvent): string {
  const named = summary.kernels.filter(({ name, symbol }) => name === match || symbol === match);
  const [expression] = expressionsFor(named, summary);
  return expression === undefined ? '' : `the expression for that name is '${expression}'; `;
}

function outOfRange({ name, match, after }: Selection, wanted: string, seen: Seen): KernloopError {
  const { matches } = seen;
  const behind = after ? ` behind /${after.match}/` : '';
  return new KernloopError(
    'NO_MATCH',
    `${name}: dispatch ${wanted} was asked for, but only ${matches} matched /${match}/${behind}${toldBesides(seen)}`,
    `${matches === 1 ? 'there is only dispatch 1' : `use numbers from 1 to ${matches}`}; it matched:\n${linesOfMatched(match, seen)}`,
  );
}

/** The error if the kernel was launched, but never after the required kernel. */
function neverAfter(
  { name, match }: Selection,
  after: { match: string; count: number },
  early: number,
  seen: Seen,
): KernloopError {
  const gates = countMatches(after.match, seen);
  const what = `${name}: none of the ${early} dispatches that match /${match}/ came behind`;
  if (gates === 0)
    return new KernloopError(
      'NO_MATCH',
      `${what} one that matches /${after.match}/, which there was none of${toldBesides(seen)}`,
      nearestKernels(after.match, seen),
    );
  return new KernloopError(
    'NO_MATCH',
    `${what} ${after.count} that match /${after.match}/, of which there were ${gates}${toldBesides(seen)}`,
    after.count > gates
      ? `use --after-count 1 to ${gates}`
      : 'choose an --after kernel that is launched earlier, or a smaller --after-count',
  );
}

function toldBesides({ notes }: Seen): string {
  return notes.map(({ code, text }) => `\n${code}: ${text}`).join('');
}

function linesOfMatched(match: string, seen: Seen): string {
  const pattern = matcher(match, seen);
  return kernelLines(seen.summary.kernels.filter(({ name, symbol }) => pattern(symbol ?? name) || pattern(name)));
}

function kernelLines(kernels: SummaryEvent['kernels']): string {
  const lines = kernels.slice(0, mostLines).map(({ name, dispatches }) => `  ${name} (${launches(dispatches)})`);
  return [...lines, ...(kernels.length > lines.length ? [`  and ${kernels.length - lines.length} more`] : [])].join(
    '\n',
  );
}

const mostLines = 8;

function launches(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'dispatch' : 'dispatches'}`;
}

/** Says "at least" if the agent stopped counting once nothing was left to capture, to run at full speed. */
function atLeast({ notes }: Seen): string {
  return notes.some(({ code }) => code === 'LAUNCHES_NOT_COUNTED') ? 'at least ' : '';
}

/** Matches a mangled name, or the demangled name that belongs to it. */
function matcher(match: string, { kernels }: Seen): (symbol: string) => boolean {
  const pattern = new RegExp(match);
  return (symbol) =>
    pattern.test(symbol) || kernels.some((kernel) => kernel.symbol === symbol && pattern.test(kernel.name));
}

function countMatches(match: string, { summary, kernels }: Seen): number {
  const pattern = new RegExp(match);
  const bySymbol = new Set(kernels.filter(({ symbol }) => pattern.test(symbol)).map(({ name }) => name));
  return summary.kernels
    .filter(({ name }) => pattern.test(name) || bySymbol.has(name))
    .reduce((sum, { dispatches }) => sum + dispatches, 0);
}

function nearestKernels(match: string, { summary }: Seen): string {
  const counts = new Map(summary.kernels.map(({ name, dispatches }) => [name, dispatches]));
  const plain = match.replace(/\\[bdswBDSW]|[\\^$()[\]{}*+?|]/g, '');
  const byBase = new Map([...counts.keys()].map((name) => [baseName(name), name]));
  const close = nearest(baseName(plain), byBase.keys()).map((base) => byBase.get(base) ?? base);
  const busiest = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const shown = [...new Set([...close, ...busiest])].slice(0, 8);
  const lines = shown.map((name) => `  ${name} (${launches(counts.get(name) ?? 0)})`);
  const lead = close[0] ? `did you mean ${baseName(close[0])}? ` : '';
  return `${lead}the app launched${counts.size > shown.length ? `, among ${counts.size} kernels` : ''}:\n${lines.join('\n')}`;
}

/** Base name that people remember: `scale` for `ns::scale<float>(float*, int)`. */
const baseName = (name: string): string => plainName(name).split('::').at(-1) ?? name;
