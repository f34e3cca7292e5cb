import type { CaptureJson } from '../archive/capture-files';
import type { ReplayOutcome } from '../replay/program';
import type { VaryingRange } from '../replay/replay-events';
import { formatCount } from '../support/report';

/** How replays relate to each other if neither tolerances nor free order explain what the app computed. */
export type Disagreement =
  /** Replays agree with each other somewhere, and not with the app: the capture lacks something that matters. */
  | { kind: 'agree'; reason: string }
  /** Replays disagree with each other too: wave order or time decides some regions; the rest can be judged. */
  | { kind: 'disagree'; reason: string; varying: VaryingRange[] }
  /** Too few results to decide. */
  | { kind: 'unclear'; reason: string };

/** Minimum number of results: fewer may agree by chance. */
const fewestResults = 3;

export function disagreementOf(outcomes: readonly ReplayOutcome[], capture: CaptureJson): Disagreement {
  const prints = outcomes.map(printsByTarget);
  const all = new Set(prints.map((print) => JSON.stringify([...print].sort())));
  const asApp = prints.filter((print) => print.size === 0).length;
  const results = `${outcomes.length} replays gave ${all.size} different results, ${asApp === 0 ? 'none' : asApp} of them the app's`;
  const names = [...new Set(prints.flatMap((print) => [...print.keys()]))].sort();
  const resultsIn = (name: string): Set<string> => new Set(prints.map((print) => print.get(name) ?? ''));
  const agreed = names.filter((name) => resultsIn(name).size === 1);
  if (agreed.length > 0) {
    return {
      kind: 'agree',
      reason: `${outcomes.length} replays agree with each other in ${agreed.join(', ')}, and not with the app: what decides that is not in the capture`,
    };
  }
  const targets = [
    ...capture.regions.map(({ id, size }) => ({ region: id, size })),
    ...capture.module_variables.map(({ name, size }) => ({ variable: name, size })),
  ].filter((target) => names.includes('region' in target ? target.region : target.variable));
  if (targets.length < names.length || names.some((name) => resultsIn(name).size < fewestResults))
    return { kind: 'unclear', reason: `${results}: too few to say whether the order of waves decides them` };
  const bytes = targets.reduce((sum, { size }) => sum + size, 0);
  return {
    kind: 'disagree',
    reason: `${results}: the order of waves or the time decides what ${names.join(', ')} hold (${formatCount(bytes)} bytes, not judged); all else is the same in every replay`,
    varying: targets.map(({ size, ...target }) => ({
      ...target,
      offset: 0,
      dtype: 'u8',
      count: size,
      min: [],
      max: [],
      order_dependent: true,
    })),
  };
}

/** A fingerprint for each region or variable that differs from post; equal if two replays differ in the same way. */
function printsByTarget({ differences }: ReplayOutcome): Map<string, string> {
  const prints = new Map<string, string>();
  for (const { region, variable, offset, differing_bytes: bytes, first_actual: actual } of differences) {
    const name = region ?? variable ?? 'the padding';
    prints.set(name, `${prints.get(name) ?? ''}${offset}:${bytes}:${actual ?? ''};`);
  }
  return prints;
}
