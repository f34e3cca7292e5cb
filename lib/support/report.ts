/** How far a piece of work is. */
export interface Progress {
  /** What is done, in a word or two: `captured`, `sent`. */
  readonly what: string;
  readonly done: number;
  /** How much there is in all, where that is known. */
  readonly total?: number;
  /** What is counted: `bytes`, or things by their plural: `chunks`, `translation units`. */
  readonly unit: string;
  /** Where things are counted: the bytes of those that are done. */
  readonly bytes?: number;
}

/** Where a stage says things to people. Results of a stage go to stdout, everything else to stderr. */
export interface Reporter {
  info(line: string): void;
  warn(line: string): void;
  /** Output of a program that Kernloop runs for the user, passed through unchanged. */
  output(chunk: string): void;
  /** A part of the stage's result. */
  result(line: string): void;
  /** How far it is, as often as something changes; null once that work has ended. Left out by whoever has no use for it. */
  progress?(now: Progress | null): void;
}

export function consoleReporter(quiet = false): Reporter {
  return {
    info: (line) => {
      if (!quiet) process.stderr.write(`${line}\n`);
    },
    warn: (line) => process.stderr.write(`warning: ${line}\n`),
    output: (chunk) => process.stderr.write(chunk),
    result: (line) => {
      if (!quiet) process.stdout.write(`${line}\n`);
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

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
