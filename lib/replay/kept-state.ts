import { z } from 'zod';
import { formatCount } from '../support/report';

/** State that a variant keeps in its own memory between launches (native/replay/core/launch/own_state.h). */
export const keptStateSchema = z.looseObject({
  changed_bytes: z.int().describe('Of its own writable bytes, how many a launch leaves changed.'),
  variables: z.array(z.string()).describe('Its own writable variables; other such bytes have no name.'),
  out_of_reach: z
    .array(z.string())
    .describe('What cannot be put back or looked at: the runtime gives no address of it.'),
  launches: z.int().describe('Launches in a row that were judged, each with what the one before left.'),
});
export type KeptState = z.output<typeof keptStateSchema>;

/** Text for a verdict: the captured code keeps no such state, so the app never met it. */
export function keptStateWords(state: KeptState): string {
  const where = state.variables.length > 0 ? ` (${state.variables.join(', ')})` : '';
  const kept =
    state.changed_bytes > 0
      ? [
          `the variant keeps ${formatCount(state.changed_bytes)} ${state.changed_bytes === 1 ? 'byte' : 'bytes'} of its own${where} from launch to launch, which the captured code does not`,
        ]
      : [];
  const unseen =
    state.out_of_reach.length > 0
      ? [`NOT judged: what launches leave in ${state.out_of_reach.join(', ')}, beyond ${state.launches} in a row`]
      : [];
  return [...kept, ...unseen].join('; ');
}
