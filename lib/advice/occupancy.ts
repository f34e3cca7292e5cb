import type { Unit } from './units';

/** Resources that a workgroup asks of its unit. */
export interface Needs {
  threads: number;
  waveSize: number;
  /** Vector registers of a lane. */
  vectorRegisters: number;
  scalarRegisters: number | null;
  /** Static and dynamic. */
  sharedBytes: number;
}

/** Resources that limit how many workgroups a unit holds. */
export type Limiter = 'waves' | 'vectorRegisters' | 'scalarRegisters' | 'sharedBytes' | 'groups';

export interface Occupancy {
  groups: number;
  wavesOfGroup: number;
  waves: number;
  mostWaves: number;
  limiters: Limiter[];
  /** Smallest reduction that makes room for one workgroup more; null if no reduction does. */
  step: { needs: Pick<Needs, 'vectorRegisters' | 'scalarRegisters' | 'sharedBytes'>; waves: number } | null;
}

/** Null if no workgroup fits, so that the limits are not those of the device that ran it. */
export function occupancyOf(unit: Unit, needs: Needs): Occupancy | null {
  const limits = limitsOf(unit, needs);
  const groups = Math.min(...Object.values(limits));
  if (groups < 1) return null;
  const wavesOfGroup = Math.ceil(needs.threads / needs.waveSize);
  const limiters = (Object.keys(limits) as Limiter[]).filter((name) => limits[name] === groups);
  return {
    groups,
    wavesOfGroup,
    waves: groups * wavesOfGroup,
    mostWaves: unit.schedulers * unit.wavesOfScheduler,
    limiters,
    step: stepTo(groups + 1, unit, needs),
  };
}

/** Most workgroups by each resource alone. */
function limitsOf(unit: Unit, needs: Needs): Record<Limiter, number> {
  const { threads, waveSize, vectorRegisters, scalarRegisters, sharedBytes } = needs;
  const wavesOfGroup = Math.ceil(threads / waveSize);
  const groupsIn = (wavesOfScheduler: number): number =>
    Math.floor((unit.schedulers * wavesOfScheduler) / wavesOfGroup);
  const registers = roundUp(Math.max(1, vectorRegisters) * waveSize * 4, unit.registerGranule);
  const isPastScalars = unit.scalars !== null && scalarRegisters !== null && scalarRegisters > unit.scalars.most;
  const shared = roundUp(sharedBytes + unit.sharedReserved, unit.sharedGranule);
  return {
    waves: groupsIn(unit.wavesOfScheduler),
    vectorRegisters: groupsIn(Math.floor(unit.registerBytes / registers)),
    scalarRegisters: isPastScalars ? groupsIn(unit.scalars?.wavesBeyond ?? 0) : Infinity,
    sharedBytes: shared === 0 ? Infinity : Math.floor(unit.sharedBytes / shared),
    groups: wavesOfGroup === 1 ? unit.singleWaveGroups : unit.groups,
  };
}

function stepTo(groups: number, unit: Unit, needs: Needs): Occupancy['step'] {
  const reduced = { ...needs };
  while (limitsOf(unit, reduced).vectorRegisters < groups && reduced.vectorRegisters > 1) reduced.vectorRegisters -= 1;
  if (limitsOf(unit, reduced).scalarRegisters < groups) reduced.scalarRegisters = unit.scalars?.most ?? null;
  if (limitsOf(unit, reduced).sharedBytes < groups) {
    const share = Math.floor(unit.sharedBytes / groups / unit.sharedGranule) * unit.sharedGranule;
    reduced.sharedBytes = Math.max(0, share - unit.sharedReserved);
  }
  const now = Math.min(...Object.values(limitsOf(unit, reduced)));
  if (now < groups) return null;
  const { vectorRegisters, scalarRegisters, sharedBytes } = reduced;
  const waves = now * Math.ceil(needs.threads / needs.waveSize);
  return { needs: { vectorRegisters, scalarRegisters, sharedBytes }, waves };
}

const roundUp = (value: number, granule: number): number => Math.ceil(value / granule) * granule;
