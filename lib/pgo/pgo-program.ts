import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { builtNative } from '../deps/built-native';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';
import { count } from '../support/count';

const events = {
  converted: z.looseObject({
    event: z.literal('converted'),
    cuid: z.string(),
    arch: z.string(),
    wave_size: count,
    sampling: z.string(),
    functions: count,
    counters: count,
    saturated: count,
    text: z.string(),
    files: z.array(z.string()),
  }),
  note: z.looseObject({ event: z.literal('note'), code: z.string(), text: z.string() }),
  merged: z.looseObject({
    event: z.literal('merged'),
    inputs: count,
    functions: count,
    counters: count,
    arch: z.string(),
  }),
} as const;

export type PgoEvent = { [Name in keyof typeof events]: z.output<(typeof events)[Name]> }[keyof typeof events];
export type ConvertedEvent = z.output<typeof events.converted>;
export type MergedEvent = z.output<typeof events.merged>;

export const pgoEvents: ReadonlyMap<string, z.ZodType<PgoEvent>> = new Map(Object.entries(events));

/** Runs kernloop-pgo to its end; a refusal becomes an error with its code and hint. */
export async function runPgo(args: readonly string[], deps: Deps): Promise<PgoEvent[]> {
  const seen: PgoEvent[] = [];
  const reader = new EventReader<PgoEvent>('kernloop-pgo', pgoEvents, (event) => seen.push(event));
  const ended = await deps.run(await builtNative('pgo', deps), args, { onStdoutLine: reader.push }).result;
  throwIfInterrupted(deps.signal);
  reader.finish(ended);
  if (ended.exitCode !== 0) throw new KernloopError('NATIVE_FAILED', describeEnd('kernloop-pgo', ended), rebuildHint);
  return seen;
}
