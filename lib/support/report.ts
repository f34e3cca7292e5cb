import { saidLines } from './said-once';
import { liveLine } from './live-line';
import { asTyped } from './typed-command';
import type { Progress } from './progress-text';

export { formatBytes, formatCount } from './format';
export type { Progress } from './progress-text';

/** Messages of a stage. Results go to stdout, everything else to stderr. */
export interface Reporter {
  /** A step of the work. */
  info(line: string): void;
  /** Something unexpected that does not stop the stage. */
  warn(line: string): void;
  /** Output of a program that Kernloop runs for the user, passed through unchanged. */
  output(chunk: string): void;
  /** A part of the stage's result. */
  result(line: string): void;
  /** Progress, at every change; null once the work has ended. Optional. */
  progress?(now: Progress | null): void;
}

/** Writes to the terminal; `quiet` prints only warnings. */
export function consoleReporter(quiet = false): Reporter {
  const live = liveLine();
  const say = (stream: 'stdout' | 'stderr', text: string): void =>
    live.around(() => void process[stream].write(text), text);
  return {
    info: (line) => {
      if (!quiet) say('stderr', `${asTyped(line)}\n`);
    },
    warn: (line) => say('stderr', `warning: ${asTyped(line)}\n`),
    output: (chunk) => {
      saidLines.take(chunk);
      say('stderr', chunk);
    },
    result: (line) => {
      if (!quiet) say('stdout', `${asTyped(line)}\n`);
    },
    progress: (now) => {
      if (!quiet) live.show(now);
    },
  };
}

/** Prints nothing: for programs that only want the result. */
export const silentReporter: Reporter = {
  info: () => undefined,
  warn: () => undefined,
  output: () => undefined,
  result: () => undefined,
};

/** Drops repeated warnings, so that one that applies to every kernel of an app appears once. */
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

/** Formats a plain-text table: the first row is the header; numbers are right-aligned. */
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
