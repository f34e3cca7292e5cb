import { liveLine } from './live-line';
import type { Progress } from './progress-text';

export { formatBytes, formatCount } from './format';
export type { Progress } from './progress-text';

/** Where a stage says things to people. Results of a stage go to stdout, everything else to stderr. */
export interface Reporter {
  /** How it goes on. */
  info(line: string): void;
  /** What is not as one would expect, though it goes on. */
  warn(line: string): void;
  /** Output of a program that Kernloop runs for the user, passed through unchanged. */
  output(chunk: string): void;
  /** A part of the stage's result. */
  result(line: string): void;
  /** How far it is, as often as something changes; null once that work has ended. Left out by whoever has no use for it. */
  progress?(now: Progress | null): void;
}

/** Writes to the terminal, as the command line does; `quiet` leaves warnings alone. */
export function consoleReporter(quiet = false): Reporter {
  const live = liveLine();
  const say = (stream: 'stdout' | 'stderr', text: string): void =>
    live.around(() => void process[stream].write(text), text);
  return {
    info: (line) => {
      if (!quiet) say('stderr', `${line}\n`);
    },
    warn: (line) => say('stderr', `warning: ${line}\n`),
    output: (chunk) => say('stderr', chunk),
    result: (line) => {
      if (!quiet) say('stdout', `${line}\n`);
    },
    progress: (now) => {
      if (!quiet) live.show(now);
    },
  };
}

/** Says nothing: for programs that only want the result. */
export const silentReporter: Reporter = {
  info: () => undefined,
  warn: () => undefined,
  output: () => undefined,
  result: () => undefined,
};

/** What is true of every kernel of an app is said for the first one. */
export function warningOnce(report: Reporter): Reporter {
  const told = new Set<string>();
  return {
    info: (line) => report.info(line),
    output: (chunk) => report.output(chunk),
    result: (line) => report.result(line),
    progress: (now) => report.progress?.(now),
    warn: (line) => {
      if (!told.has(line)) report.warn(line);
      told.add(line);
    },
  };
}

/** A plain-text table: the first row is the header; numbers are right-aligned. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const numeric = Array.from({ length: columns }, (_, column) =>
    rows.slice(1).every((row) => /^[-+]?[\d.,]+( ?([%×xBKMG]|[KMG]iB))?$|^-?$/.test(row[column] ?? '')),
  );
  return rows.map((row) =>
    widths
      .map((width, column) =>
        numeric[column] ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
      )
      .join('  ')
      .trimEnd(),
  );
}
