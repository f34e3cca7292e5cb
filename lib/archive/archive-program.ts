import type { z } from 'zod';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import type { ProgramInput } from '../support/stdin';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';

/**
 * Runs kernloop-archive and returns its one event; throws the error that it reports. `exitCodes` are the codes that go
 * with the event.
 */
export async function runArchive<E extends { event: string }>(
  args: readonly string[],
  name: E['event'],
  schema: z.ZodType<E>,
  deps: Deps,
  exitCodes: readonly number[] = [0],
  input?: ProgramInput,
  onLine: (line: string) => void = () => undefined,
): Promise<E> {
  let event: E | undefined;
  const reader = new EventReader<E>('kernloop-archive', new Map([[name, schema]]), (read) => (event = read));
  const ended = await deps.run(deps.native.archive, args, {
    onStdoutLine: (line) => {
      reader.push(line);
      onLine(line);
    },
    onStderr: (chunk) => deps.report.output(chunk),
    ...(input === undefined ? {} : { input }),
  }).result;
  throwIfInterrupted(deps.signal);
  reader.finish(ended);
  if (event === undefined || ended.exitCode === null || !exitCodes.includes(ended.exitCode)) {
    throw new KernloopError(
      'NATIVE_FAILED',
      `${describeEnd('kernloop-archive', ended)}\nwithout a result`,
      rebuildHint,
    );
  }
  return event;
}
