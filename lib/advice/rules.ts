import { formatBytes, formatCount } from '../support/format';
import type { Advice, RuleName } from './advice-json';
import type { CountedInstruction, Facts, Figures } from './facts';
import { occupancyOf, type Limiter, type Occupancy } from './occupancy';
import { placesOf } from './places';
import { computeUnit, unitOf, type Unit } from './units';

/** Null if the facts do not prove it. */
type Rule = (facts: Facts) => Omit<Advice, 'rule'> | null;

/** Share of a counter below which a rule says nothing: its cost is proven, and too small to be worth an edit. */
const leastShare = 0.05;

const lineBytes = 64;

const of = (figures: Figures | null, name: string): number => figures?.[name] ?? 0;
const sumOf = (places: readonly { figures: Figures }[], name: string): number =>
  places.reduce((sum, { figures }) => sum + of(figures, name), 0);
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/**
 * An instruction needs at most one line more than its bytes fill, each time: fewer than `executed + bytes / 64` lines.
 * An instruction with twice the larger of the two has more than that, so that another order of addresses needs fewer.
 */
const coalescing: Rule = (facts) => {
  const places = placesOf(facts, uncoalesced, ({ transactions = 0, bytes = 0, enough = 0 }) => {
    const used = (bytes / transactions).toFixed(1);
    return `${plural(transactions, 'line')} of ${lineBytes} bytes for ${formatCount(bytes)} bytes, ${used} bytes of each; ${formatCount(enough)} would do`;
  });
  const all = of(facts.counters, 'memory_transactions');
  const transactions = sumOf(places, 'transactions');
  const avoidable = transactions - sumOf(places, 'enough');
  if (places.length === 0 || avoidable < leastShare * all) return null;
  return {
    says: `at least ${formatCount(avoidable)} of ${formatCount(all)} memory transactions would go if neighbouring lanes shared lines of ${lineBytes} bytes`,
    next: 'let neighbouring lanes access neighbouring addresses: exchange the indices, go through LDS, or store arrays of members instead of structures',
    figures: { transactions, avoidable, memory_transactions: all },
    places,
  };
};

function uncoalesced({ figures }: CountedInstruction): ReturnType<Parameters<typeof placesOf>[1]> {
  const transactions = of(figures, 'memory_transactions');
  const executed = of(figures, 'executed');
  // An atomic counts its bytes in both directions.
  const bytes = Math.max(of(figures, 'bytes_read'), of(figures, 'bytes_written'));
  if (transactions === 0 || transactions < 2 * Math.max(executed, bytes / lineBytes)) return null;
  const enough = Math.ceil(executed + bytes / lineBytes);
  return { weight: transactions - enough, figures: { transactions, bytes, executed, enough } };
}

/** Passes of LDS that `counter` says are lost, by line. */
function lostPasses(facts: Facts, counter: string): Pick<Advice, 'figures' | 'places'> | null {
  const [passes, lost] = [of(facts.counters, 'lds_passes'), of(facts.counters, counter)];
  if (lost === 0 || lost < leastShare * passes) return null;
  const places = placesOf(
    facts,
    ({ figures }) => {
      const own = of(figures, counter);
      return own === 0 ? null : { weight: own, figures: { lost: own, passes: of(figures, 'lds_passes') } };
    },
    ({ lost: own = 0, passes: all = 0 }) => `${formatCount(own)} of ${plural(all, 'pass', 'passes')} lost`,
  );
  return { figures: { lost, passes }, places };
}

const wordsOfLost = ({ lost = 0, passes = 0 }: Figures): string =>
  `${formatCount(lost)} of ${formatCount(passes)} passes through LDS (${percent(lost / passes)})`;

const bankConflicts: Rule = (facts) => {
  const found = lostPasses(facts, 'lds_bank_conflicts');
  return (
    found && {
      says: `${wordsOfLost(found.figures)} are lost because lanes want different dwords of one bank`,
      next: 'make the distance between lanes no multiple of the banks: one dword more in each row of the array, or another order of indices',
      ...found,
    }
  );
};

const ldsAtomics: Rule = (facts) => {
  const found = lostPasses(facts, 'lds_address_conflicts');
  return (
    found && {
      says: `${wordsOfLost(found.figures)} are lost because atomics of several lanes meet on one dword`,
      next: 'add up the values of a wave first (shuffles, ballot), or give groups of lanes copies of their own',
      ...found,
    }
  );
};

const formatLanes = (lanes: number): string =>
  Number.isInteger(lanes) ? String(lanes) : `${lanes.toFixed(1)} (on average)`;

/** Idle lanes prove no cause by themselves; with splits, the lines where waves split are named. */
const divergence: Rule = (facts) => {
  const { counters, code, launch } = facts;
  const [instructions, lanes, splits] = [
    of(counters, 'valu'),
    of(counters, 'valu_lanes'),
    of(counters, 'divergent_branches'),
  ];
  if (code === null || splits === 0 || instructions === 0) return null;
  // The last wave of a workgroup may have fewer lanes: what these lack is no divergence.
  const lanesOfWave = launch.threads / Math.ceil(launch.threads / code.waveSize);
  const slots = instructions * lanesOfWave;
  if (slots - lanes < leastShare * slots) return null;
  const places = placesOf(
    facts,
    ({ figures }) => {
      const own = of(figures, 'splits');
      return own === 0 ? null : { weight: own, figures: { splits: own, executed: of(figures, 'executed') } };
    },
    ({ splits: own = 0, executed = 0 }) => `splits a wave ${formatCount(own)} of ${formatCount(executed)} times`,
  );
  return {
    says: `${(lanes / instructions).toFixed(1)} of ${formatLanes(lanesOfWave)} lanes are active in vector ALU instructions, and control flow splits waves ${plural(splits, 'time')}`,
    next: 'let all lanes of a wave go the same way: decide by wave or workgroup, sort the work by kind, or compute both sides and select',
    figures: { valu: instructions, valu_lanes: lanes, divergent_branches: splits },
    places,
  };
};

const scratchBytes = (figures: Figures | null): number =>
  of(figures, 'scratch_bytes_read') + of(figures, 'scratch_bytes_written');

/** Spills are told by the compiler; without a spill, private memory holds arrays or a stack. */
const scratch: Rule = (facts) => {
  const { counters, code } = facts;
  const moved = scratchBytes(counters);
  const others = of(counters, 'bytes_read') + of(counters, 'bytes_written');
  const isSmall = counters === null ? !code?.privateBytes : moved === 0 || moved < leastShare * (moved + others);
  if (isSmall) return null;
  const { vector = 0, scalar = 0 } = code?.spilled ?? {};
  const places = placesOf(
    facts,
    ({ figures }) => {
      const bytes = scratchBytes(figures);
      return bytes === 0 ? null : { weight: bytes, figures: { bytes } };
    },
    ({ bytes = 0 }) => formatBytes(bytes),
  );
  const words = ((code && unitOf(code)) ?? computeUnit).words;
  const reserved = code?.privateBytes
    ? `${formatCount(code.privateBytes)} bytes of ${words.scratch} a ${words.lane}`
    : words.scratch;
  const spills = vector + scalar > 0 ? `; the compiler spilled ${spillWords(vector, scalar)}` : '';
  return {
    says: `the kernel uses ${reserved}${counters === null ? '' : `, ${formatBytes(moved)} of it read and written`}${spills}`,
    next:
      vector > 0
        ? 'keep fewer values alive at once, unroll less, or let the compiler have more registers (__launch_bounds__ with the real size of a workgroup)'
        : code?.spilled
          ? 'the compiler spilled no vector register: index local arrays with constants (unrolled loops), so that they live in registers'
          : 'see whether it is spills or arrays (`ptxas -v` tells): unroll less, or index local arrays with constants',
    figures: { bytes: moved, private_bytes: code?.privateBytes ?? 0, vector_spills: vector, scalar_spills: scalar },
    places,
  };
};

function spillWords(vector: number, scalar: number): string {
  return [
    ...(vector > 0 ? [plural(vector, 'vector register')] : []),
    ...(scalar > 0 ? [plural(scalar, 'scalar register')] : []),
  ].join(' and ');
}

/** A workgroup always has whole waves. */
const partialWaves: Rule = ({ launch, code }) => {
  if (code === null) return null;
  const { group, wave } = (unitOf(code) ?? computeUnit).words;
  const waves = Math.ceil(launch.threads / code.waveSize);
  const slots = waves * code.waveSize;
  const idle = slots - launch.threads;
  if (idle < leastShare * slots) return null;
  return {
    says: `a ${group} of ${formatCount(launch.threads)} threads takes ${plural(waves, wave)} of ${code.waveSize} lanes: ${formatCount(idle)} of ${formatCount(slots)} lanes never run`,
    next: `launch ${group}s of a multiple of ${code.waveSize} threads`,
    figures: { threads: launch.threads, waves, idle_lanes: idle },
    places: [],
  };
};

const occupancy: Rule = ({ launch, code }) => {
  const unit = code && unitOf(code);
  if (code === null || unit === null || launch.dynamicShared === null) return null;
  const sharedBytes = code.staticShared + launch.dynamicShared;
  const { waveSize, vectorRegisters, scalarRegisters } = code;
  const needs = { threads: launch.threads, waveSize, vectorRegisters, scalarRegisters, sharedBytes };
  const found = occupancyOf(unit, needs);
  if (found === null || found.waves === found.mostWaves) return null;
  // A second workgroup of a unit is of use only if the launch has one for it.
  if (unit.product && launch.groups <= unit.product.units) return null;
  const { groups, waves, mostWaves, limiters, step } = found;
  const { group, wave, registers, shared } = unit.words;
  const used: Readonly<Record<Limiter, string>> = {
    waves: `the size of a ${group} (${plural(found.wavesOfGroup, wave)})`,
    vectorRegisters: `the ${plural(vectorRegisters, registers)} of a ${unit.words.lane}`,
    scalarRegisters: `the ${plural(scalarRegisters ?? 0, 'scalar register')} of a ${wave}`,
    sharedBytes: `the ${plural(sharedBytes, 'byte')} of ${shared} of a ${group}`,
    groups: `its limit of ${plural(groups, group)}`,
  };
  const words = limiters.map((name) => used[name]).join(' and ');
  const needed = Math.ceil(launch.groups / groups);
  const isSpilling =
    (code.spilled?.vector ?? 0) > 0 && (step?.needs.vectorRegisters ?? vectorRegisters) < vectorRegisters;
  return {
    says: `${waves} of ${mostWaves} ${wave}s fit into a ${unit.name}, because of ${words}; this launch fills ${plural(needed, unit.name)}`,
    next: `${stepWords(found, unit, { vectorRegisters, scalarRegisters, sharedBytes })}${isSpilling ? '; the compiler spills already, so that fewer registers cost private memory' : ''}`,
    figures: {
      waves,
      most_waves: mostWaves,
      groups,
      vector_registers: vectorRegisters,
      shared_bytes: sharedBytes,
      ...(step
        ? {
            waves_next: step.waves,
            vector_registers_next: step.needs.vectorRegisters,
            shared_bytes_next: step.needs.sharedBytes,
          }
        : {}),
    },
    places: [],
  };
};

function stepWords(
  { step, waves }: Occupancy,
  { words: { group, wave, registers, shared } }: Unit,
  now: { vectorRegisters: number; scalarRegisters: number | null; sharedBytes: number },
): string {
  if (step === null) return `another size of the ${group}: fewer registers or less ${shared} make no room for one more`;
  const { needs } = step;
  const parts: string[] = [];
  const fewer = now.vectorRegisters - needs.vectorRegisters;
  if (fewer > 0) parts.push(`${plural(fewer, registers)} fewer (${formatCount(needs.vectorRegisters)})`);
  if (needs.scalarRegisters !== now.scalarRegisters && needs.scalarRegisters !== null)
    parts.push(`at most ${formatCount(needs.scalarRegisters)} scalar registers`);
  const less = now.sharedBytes - needs.sharedBytes;
  if (less > 0) parts.push(`${plural(less, 'byte')} of ${shared} less (${formatCount(needs.sharedBytes)})`);
  return `${parts.join(' and ')} would let ${plural(step.waves - waves, `more ${wave}`)} in: ${step.waves}`;
}

const idleUnits: Rule = ({ launch, code }) => {
  const unit = code && unitOf(code);
  const product = unit?.product;
  if (!product || launch.groups >= product.units) return null;
  const { group } = unit.words;
  return {
    says: `the launch has ${plural(launch.groups, group)}, and an ${product.name} ${formatCount(product.units)} ${unit.name}s: ${formatCount(product.units - launch.groups)} of them have nothing to do`,
    next: `split the work into more ${group}s, or let it run beside other kernels`,
    figures: { groups: launch.groups, units: product.units },
    places: [],
  };
};

/** Rules in the order in which they are shown; their figures have no common unit to rank them by. */
export const rules: Readonly<Record<RuleName, Rule>> = {
  coalescing,
  'lds-bank-conflicts': bankConflicts,
  'lds-atomics': ldsAtomics,
  divergence,
  scratch,
  'partial-waves': partialWaves,
  occupancy,
  'idle-units': idleUnits,
};
