import { z } from 'zod';
import { isErrorCode } from './error-codes';
import { KernloopError, messageOf } from './error';
import type { RunResult } from './exec';

/** Last line of a native program that cannot continue. */
export const errorEventSchema = z.looseObject({
  event: z.literal('error'),
  code: z.string(),
  message: z.string(),
  hint: z.string().default(''),
});

export type ErrorEvent = z.output<typeof errorEventSchema>;

/** Checks NDJSON lines against a program's event schemas; skips unknown events, which newer programs may add. */
export class EventReader<E extends { event: string }> {
  error: ErrorEvent | undefined;
  private malformed: string | undefined;

  constructor(
    private readonly program: string,
    private readonly known: ReadonlyMap<string, z.ZodType<E>>,
    private readonly onEvent: (event: E) => void,
  ) {}

  /** Bound, so that it can be passed to a process runner. A bad line is kept for `finish`, which throws it. */
  readonly push = (line: string): void => {
    if (line.trim() === '' || this.malformed !== undefined) return;
    try {
      this.read(line);
    } catch (error) {
      this.malformed = `${messageOf(error)}: ${line.slice(0, 200)}`;
    }
  };

  /** Must be called once the program has ended: throws the error that it reported, or a malformed line. */
  finish(ended: RunResult): void {
    if (this.error) throw nativeError(this.program, this.error);
    if (this.malformed !== undefined) {
      throw new KernloopError(
        'NATIVE_FAILED',
        `${this.program} printed a line that is no event: ${this.malformed}`,
        rebuildHint,
      );
    }
    if (ended.startError !== null) {
      throw new KernloopError(
        'ENVIRONMENT_NATIVE_MISSING',
        `${this.program} cannot be started: ${ended.startError}`,
        rebuildHint,
      );
    }
  }

  private read(line: string): void {
    const value: unknown = JSON.parse(line);
    const name = z.looseObject({ event: z.string() }).parse(value).event;
    if (name === 'error') {
      this.error = errorEventSchema.parse(value);
      return;
    }
    const schema = this.known.get(name);
    if (schema) this.onEvent(schema.parse(value));
  }
}

export const rebuildHint =
  'install kernloop once more (in a checkout: `npm run build:native`); if it stays, report it with the text above';

/** Describes how the program ended, for messages. */
export function describeEnd(program: string, ended: RunResult): string {
  const how =
    ended.startError !== null
      ? `could not be started (${ended.startError})`
      : ended.timedOut
        ? 'ran past its time limit'
        : ended.signal !== null
          ? `was killed by ${ended.signal}`
          : `exited with code ${ended.exitCode}`;
  const tail = lastLines(ended.stderrTail || ended.stdoutTail);
  return `${program} ${how}${tail ? `:\n${tail}` : ''}`;
}

function lastLines(text: string, count = 10): string {
  return text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => `  ${line}`)
    .join('\n')
    .trimEnd();
}

/** Unknown codes of native programs are kept in the message. */
function nativeError(program: string, error: ErrorEvent): KernloopError {
  return isErrorCode(error.code)
    ? new KernloopError(error.code, error.message, error.hint)
    : new KernloopError('NATIVE_FAILED', `${program}: ${error.code}: ${error.message}`, error.hint || rebuildHint);
}
