import type { DeviceKind } from '../app/kernloop-json';
import { deviceWords } from '../device/words';
import type { RunResult } from '../support/exec';
import { KernloopError, nearest } from '../support/error';
import { isErrorCode } from '../support/error-codes';
import { describeEnd } from '../support/ndjson';
import { formatCount } from '../support/report';
import { agentDeclined, launchedInGraphs, type Note } from './notes';
import type { RefusedEvent, SummaryEvent } from './recorder-events';

export interface Seen {
  app: string;
  device: DeviceKind;
  command: string;
  appEnd: RunResult;
  summary: SummaryEvent;
  kernels: { name: string; symbol: string }[];
  refused: RefusedEvent[];
  /** What the agents and the recorder told besides. */
  notes: Note[];
}

export interface Wanted {
  name: string;
  match: string;
  ordinal: number;
}

/** Why a selection gave no capture: the most useful true answer, never silence. */
export function whyNotCaptured(wanted: Wanted, seen: Seen): KernloopError {
  const refusal = seen.refused.findLast(({ id }) => id === wanted.name);
  const died = refusal?.code === 'AGENT_LOST' && seen.appEnd.exitCode !== 0;
  if (refusal && !died) {
    const code = isErrorCode(refusal.code) ? refusal.code : 'CAPTURE_REFUSED';
    const named = code === refusal.code ? '' : `${refusal.code}: `;
    return new KernloopError(code, `${wanted.name} was not captured: ${named}${refusal.reason}`, refusal.hint || 'capture another dispatch of it with --ordinal');
  }
  if (seen.appEnd.exitCode !== 0) {
    return new KernloopError(
      'APP_FAILED',
      `${seen.app} failed before ${wanted.name} was captured: ${describeEnd(seen.command, seen.appEnd)}`,
      'make the app run through by itself first; `kernloop doctor` checks the device',
    );
  }
  return neverLaunched(seen) ?? neverMatched(wanted, seen);
}

/** No process, no context or queue, no launch at all, or none that a capture can be taken of. */
function neverLaunched({ app, device, summary, notes }: Seen): KernloopError | undefined {
  const { runtime, queues, loadHint } = deviceWords(device);
  if (summary.processes === 0) {
    return new KernloopError(
      'NO_AGENT',
      `${app} exited with code 0 but never loaded ${runtime}, so no kernel of it could be seen`,
      loadHint,
    );
  }
  const declined = summary.dispatches === 0 ? agentDeclined(notes) : undefined;
  if (declined) return declined;
  if (summary.queues === 0) {
    return new KernloopError(
      'NO_QUEUE',
      `${app} loaded ${runtime} but created no ${queues}`,
      'check that the app uses the device in this run',
    );
  }
  if (summary.dispatches === 0) {
    const inGraphs = launchedInGraphs(notes, () => true);
    if (inGraphs) return onlyInGraphs(`${app} launched kernels only as nodes of graphs: ${inGraphs.text}`);
    return new KernloopError(
      'NO_DISPATCH',
      `${app} created ${summary.queues} ${queues} but launched no kernel`,
      'check that the app reaches its kernels with these arguments',
    );
  }
  return undefined;
}

function onlyInGraphs(what: string): KernloopError {
  return new KernloopError(
    'GRAPH_LAUNCH',
    what,
    'run the app without graphs, where it has a switch for that, or capture the same kernel outside of the graph',
  );
}

function neverMatched(wanted: Wanted, seen: Seen): KernloopError {
  const { summary } = seen;
  const told = seen.notes.map(({ code, text }) => `\n${code}: ${text}`).join('');
  const matched = countMatches(wanted, seen);
  if (matched >= wanted.ordinal) {
    return new KernloopError(
      'CAPTURE_REFUSED',
      `${wanted.name}: ${matched} dispatches matched /${wanted.match}/, but the agent captured none${told}`,
      'its log in .kernloop/logs of the workspace says what it saw',
    );
  }
  if (matched > 0) {
    return new KernloopError(
      'NO_MATCH',
      `${wanted.name}: dispatch ${wanted.ordinal} was asked for, but only ${matched} matched /${wanted.match}/${told}`,
      `use an ordinal from 1 to ${matched}`,
    );
  }
  const pattern = matcher(wanted, seen);
  const inGraphs = launchedInGraphs(seen.notes, (symbol) => pattern(symbol));
  if (inGraphs) return onlyInGraphs(`${wanted.name} was launched only as a node of graphs: ${inGraphs.text}`);
  return new KernloopError('NO_MATCH', `${wanted.name}: none of the ${atLeast(seen)}${formatCount(summary.dispatches)} dispatches matched /${wanted.match}/${told}`, nearestKernels(wanted, seen));
}

/** The agent stops counting once nothing is left to capture, so that the app runs at its own speed. */
function atLeast({ notes }: Seen): string {
  return notes.some(({ code }) => code === 'LAUNCHES_NOT_COUNTED') ? 'at least ' : '';
}

/** Whether a mangled name, or the demangled one that goes with it, is wanted. */
function matcher({ match }: Wanted, { kernels }: Seen): (symbol: string) => boolean {
  const pattern = new RegExp(match);
  return (symbol) => pattern.test(symbol) || kernels.some((kernel) => kernel.symbol === symbol && pattern.test(kernel.name));
}

function countMatches({ match }: Wanted, { summary, kernels }: Seen): number {
  const pattern = new RegExp(match);
  const bySymbol = new Set(kernels.filter(({ symbol }) => pattern.test(symbol)).map(({ name }) => name));
  return summary.kernels
    .filter(({ name }) => pattern.test(name) || bySymbol.has(name))
    .reduce((sum, { dispatches }) => sum + dispatches, 0);
}

function nearestKernels(wanted: Wanted, { summary }: Seen): string {
  const counts = new Map(summary.kernels.map(({ name, dispatches }) => [name, dispatches]));
  const plain = wanted.match.replace(/\\[bdswBDSW]|[\\^$()[\]{}*+?|]/g, '');
  const byBase = new Map([...counts.keys()].map((name) => [baseName(name), name]));
  const close = nearest(baseName(plain), byBase.keys()).map((base) => byBase.get(base) ?? base);
  const busiest = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const shown = [...new Set([...close, ...busiest])].slice(0, 8);
  const lines = shown.map((name) => `  ${name} (${formatCount(counts.get(name) ?? 0)} dispatches)`);
  const lead = close[0] ? `did you mean ${baseName(close[0])}? ` : '';
  return `${lead}the app launched${counts.size > shown.length ? `, among ${counts.size} kernels` : ''}:\n${lines.join('\n')}`;
}

/** `ns::scale<float>(float*, int)` is `scale`: what people remember of a kernel's name. */
function baseName(name: string): string {
  const head = name.replace(/^void /, '').replace(/[(<].*$/s, '');
  return head.split('::').at(-1) ?? head;
}
