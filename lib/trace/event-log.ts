import { lineForms, openEnded, type LineForm } from './log-grammar';

interface LogEvent {
  /** Line number from 1. */
  readonly line: number;
  readonly tag: string;
  readonly event: string;
  readonly parts: Readonly<Record<string, string>>;
}

export interface EventLog {
  readonly events: readonly LogEvent[];
  /** Lines of unknown form. */
  readonly unknown: readonly { readonly line: number; readonly text: string }[];
  readonly launches: readonly Launch[];
}

/** A kernel that ran under probes. */
export interface Launch {
  readonly function: string | null;
  readonly kernel: string | null;
  readonly timeNs: bigint;
  readonly parameters: readonly bigint[];
  grid: readonly number[] | null;
  block: readonly number[] | null;
  sharedBytes: number | null;
  mapBytes: number | null;
  /** Bytes that a thread needs, if the program counted them. */
  countedBytes: number | null;
  saved: { readonly path: string; readonly bytes: number } | null;
  /** Milliseconds; `original` exists if the driver was told to benchmark. */
  times: {
    readonly prologue: number;
    readonly kernel: number;
    readonly epilogue: number;
    readonly original: number | null;
  } | null;
  callback: string | null;
  outcome: 'done' | 'failed' | 'unknown';
}

const formsByTag = new Map<string, LineForm[]>();
for (const form of lineForms) {
  for (const tag of form.tags) formsByTag.set(tag, [...(formsByTag.get(tag) ?? []), form]);
}

const tagged = /^\[([A-Za-z]+)\] ?(.*)$/s;
/** The driver prints the arguments of a launch one by one, so another thread's lines may come in between. */
const tornLaunch = /^(\[exec\] \d+ param(?: [0-9a-f]+)* )(\[[A-Za-z]+\] .*)$/s;
const restOfLaunch = /^(?:[0-9a-f]+ )+$/;

/** Parses a log. Invalid UTF-8 becomes U+FFFD: some names are truncated. */
export function parseEventLog(bytes: Uint8Array): EventLog {
  const text = new TextDecoder('utf-8').decode(bytes);
  const events: LogEvent[] = [];
  const unknown: { line: number; text: string }[] = [];
  let torn: { event: LogEvent; index: number } | undefined;
  const read = (line: string, number: number): void => {
    const event = parseLine(line, number);
    if (event) {
      events.push(event);
      return;
    }
    if (torn && restOfLaunch.test(line)) {
      const { parts } = torn.event;
      const parameters = `${parts['parameters'] ?? ''} ${line.trim()}`;
      events[torn.index] = { ...torn.event, parts: { ...parts, parameters } };
      torn = undefined;
      return;
    }
    const before = events.at(-1);
    if (before && openEnded.has(before.event) && !tagged.test(line)) return;
    unknown.push({ line: number, text: line });
  };
  for (const [index, line] of linesOf(text).entries()) {
    const parts = tornLaunch.exec(line);
    if (!parts) {
      read(line, index + 1);
      continue;
    }
    read(parts[1] ?? '', index + 1);
    const event = events.at(-1);
    if (event) torn = { event, index: events.length - 1 };
    read(parts[2] ?? '', index + 1);
  }
  return { events, unknown, launches: launchesOf(events) };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.replace(/\r$/, ''));
}

function parseLine(line: string, number: number): LogEvent | undefined {
  const [, tag = '', rest = ''] = tagged.exec(line) ?? [];
  for (const { event, form } of formsByTag.get(tag) ?? []) {
    const found = form.exec(rest);
    if (!found) continue;
    const parts = Object.fromEntries(Object.entries(found.groups ?? {}).filter(([, part]) => part !== undefined));
    if (event === 'command') parts['command'] = commandOf(parts['command'] ?? '', Number(parts['length']));
    return { line: number, tag, event, parts };
  }
  return undefined;
}

/** Cuts the text to the length that the driver logs: the rest is not part of the command. */
function commandOf(text: string, length: number): string {
  const bytes = new TextEncoder().encode(text).slice(0, Math.max(0, length));
  return new TextDecoder().decode(bytes).replaceAll('\u0000', ' ').trimEnd();
}

function launchesOf(events: readonly LogEvent[]): Launch[] {
  const names = new Map<string, string>();
  const launches: Launch[] = [];
  let known: string | null = null;
  // Threads alternate: a line belongs to the first launch that still lacks its facts.
  const first = (lacks: (launch: Launch) => boolean): Launch | undefined => launches.find(lacks);
  for (const { event, parts } of events) {
    const number = (name: string): number => Number(parts[name]);
    const three = (name: string): number[] => ['x', 'y', 'z'].map((axis) => number(`${name}_${axis}`));
    switch (event) {
      case 'probed':
        names.set(parts['function'] ?? '', parts['name'] ?? '');
        break;
      case 'function_known':
        known = parts['function'] ?? null;
        break;
      case 'launch':
        launches.push(newLaunch(known, names, parts));
        break;
      case 'geometry': {
        const launch = first(({ grid, outcome }) => grid === null && outcome === 'unknown');
        if (launch)
          Object.assign(launch, { grid: three('grid'), block: three('block'), sharedBytes: number('shared_bytes') });
        break;
      }
      case 'counted': {
        const launch = first(({ countedBytes, outcome }) => countedBytes === null && outcome === 'unknown');
        if (launch) launch.countedBytes = number('bytes');
        break;
      }
      case 'memory': {
        const launch = first(({ mapBytes, outcome }) => mapBytes === null && outcome === 'unknown');
        if (launch) launch.mapBytes = number('bytes');
        break;
      }
      case 'done':
      case 'failed': {
        const launch = first(({ outcome }) => outcome === 'unknown');
        if (launch) launch.outcome = event;
        break;
      }
      case 'saved': {
        const launch = first(({ saved, outcome }) => saved === null && outcome === 'done');
        if (launch) launch.saved = { path: parts['path'] ?? '', bytes: number('bytes') };
        break;
      }
      case 'times': {
        const launch = first(({ times, outcome }) => times === null && outcome === 'done');
        const original = parts['original_ms'] === undefined ? null : number('original_ms');
        const [prologue, kernel, epilogue] = [number('prologue_ms'), number('kernel_ms'), number('epilogue_ms')];
        if (launch) launch.times = { prologue, kernel, epilogue, original };
        break;
      }
      case 'callback': {
        const launch = launches.findLast(({ times, callback }) => times !== null && callback === null);
        if (launch) launch.callback = parts['outcome'] ?? null;
        break;
      }
    }
  }
  return launches;
}

function newLaunch(
  known: string | null,
  names: ReadonlyMap<string, string>,
  parts: Readonly<Record<string, string>>,
): Launch {
  const words = (parts['parameters'] ?? '').trim();
  return {
    function: known,
    kernel: known === null ? null : (names.get(known) ?? null),
    timeNs: BigInt(parts['time_ns'] ?? 0),
    parameters: words === '' ? [] : words.split(/ +/).map((word) => BigInt(`0x${word}`)),
    grid: null,
    block: null,
    sharedBytes: null,
    mapBytes: null,
    countedBytes: null,
    saved: null,
    times: null,
    callback: null,
    outcome: 'unknown',
  };
}

/**
 * Cost of probes, for launches that report it: total time relative to the kernel's own, and the slowdown of the kernel
 * if it was measured.
 */
export function overheadOf(launches: readonly Launch[]): {
  launches: number;
  ratio: number | null;
  slowdown: number | null;
} {
  const timed = launches.flatMap(({ times }) => (times ? [times] : []));
  const kernel = timed.reduce((sum, times) => sum + times.kernel, 0);
  const whole = timed.reduce((sum, times) => sum + times.prologue + times.kernel + times.epilogue, 0);
  const measured = timed.filter(({ original }) => original !== null);
  const original = measured.reduce((sum, times) => sum + (times.original ?? 0), 0);
  const probed = measured.reduce((sum, times) => sum + times.kernel, 0);
  return {
    launches: timed.length,
    ratio: kernel > 0 ? whole / kernel : null,
    slowdown: original > 0 ? probed / original : null,
  };
}
