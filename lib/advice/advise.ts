import { ruleNames, type Explanation } from './advice-json';
import type { Facts } from './facts';
import { rules } from './rules';
import { unitOf } from './units';

/** Applies every rule; only what the facts prove is in the result. */
export function advise(facts: Facts): Explanation {
  return {
    position: positionOf(facts),
    advice: ruleNames.flatMap((rule) => {
      const found = rules[rule](facts);
      return found === null ? [] : [{ rule, ...found }];
    }),
    not_told: notToldOf(facts),
  };
}

/** A roofline needs the peak rates of a device besides, which none tells. */
function positionOf({ counters }: Facts): Explanation['position'] {
  const {
    valu = 0,
    valu_lanes: operations = 0,
    lane_bytes: bytes = 0,
    memory_transactions: transactions = 0,
  } = counters ?? {};
  if (bytes === 0 || operations === 0) return null;
  return {
    operations,
    bytes,
    operations_per_byte: operations / bytes,
    instructions_per_transaction: transactions > 0 ? valu / transactions : null,
  };
}

function notToldOf({ counters, code, instructions }: Facts): string[] {
  const hasLines = instructions.some(({ line }) => line !== null);
  return [
    ...(counters === null ? ['memory, LDS, divergence: only the software GPU counts them'] : []),
    ...(counters?.['lds'] && !counters['lds_passes']
      ? ['LDS bank conflicts: only those of gfx90a are counted, whose banks are published']
      : []),
    ...(counters !== null && !hasLines
      ? ['source lines: the code has no line information; `kernloop recompile --line-info` builds code that has']
      : []),
    ...(code === null ? ['registers and occupancy: the code object does not tell them'] : []),
    ...(code !== null && unitOf(code) === null
      ? [`occupancy: the limits of ${code.processor} are not known here`]
      : []),
  ];
}
