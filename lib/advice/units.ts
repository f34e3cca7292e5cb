import type { KernelResources } from '../toolchain/kernel-resources';

/** Part of a GPU that a workgroup runs in, and how many waves it holds. */
export interface Unit {
  name: string;
  /** The vendor's words. */
  words: { group: string; wave: string; lane: string; registers: string; shared: string; scratch: string };
  /** SIMDs, or partitions of a multiprocessor: a wave's registers are in one. */
  schedulers: number;
  wavesOfScheduler: number;
  /** Vector registers of a scheduler in bytes, and the granule of a wave. */
  registerBytes: number;
  registerGranule: number;
  /** Scalar registers up to which a scheduler holds all of its waves, and how many waves beyond that. */
  scalars: { most: number; wavesBeyond: number } | null;
  /** LDS or shared memory in bytes, the granule of a workgroup, and what the system takes of each workgroup. */
  sharedBytes: number;
  sharedGranule: number;
  sharedReserved: number;
  /** Most workgroups, and most of those that are one wave. */
  groups: number;
  singleWaveGroups: number;
  /** A product that has this unit, and its number of units; null if products differ or none is known. */
  product: { name: string; units: number } | null;
}

/**
 * LLVM's AMDGPUBaseInfo.cpp (getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule, getMaxWorkGroupsPerCU,
 * getOccupancyWithNumSGPRs); LDS is allocated in 128 dwords (GRANULATED_LDS_SIZE of its AMDGPU user guide). Products:
 * those that the software GPU presents (native/softgpu/hsa/device_model.h).
 */
export const computeUnit: Unit = {
  name: 'compute unit',
  words: {
    group: 'workgroup',
    wave: 'wave',
    lane: 'lane',
    registers: 'vector register',
    shared: 'LDS',
    scratch: 'private memory',
  },
  schedulers: 4,
  wavesOfScheduler: 8,
  registerBytes: 512 * 64 * 4,
  registerGranule: 8 * 64 * 4,
  scalars: { most: 100, wavesBeyond: 7 },
  sharedBytes: 64 * 1024,
  sharedGranule: 512,
  sharedReserved: 0,
  groups: 16,
  singleWaveGroups: 32,
  product: null,
};

/** RDNA's workgroup processor: two compute units of two SIMDs each. */
const processor: Unit = {
  ...computeUnit,
  name: 'workgroup processor',
  wavesOfScheduler: 16,
  scalars: null,
  sharedBytes: 128 * 1024,
  groups: 32,
  singleWaveGroups: 64,
};

const rdna: Readonly<Record<string, Unit>> = {
  gfx1030: {
    ...processor,
    registerBytes: 1024 * 32 * 4,
    registerGranule: 16 * 32 * 4,
    product: { name: 'RX 6800', units: 30 },
  },
  gfx1100: {
    ...processor,
    registerBytes: 1536 * 32 * 4,
    registerGranule: 24 * 32 * 4,
    product: { name: 'RX 7900 XTX', units: 48 },
  },
};

const cdna: Readonly<Record<string, Unit>> = {
  gfx90a: { ...computeUnit, product: { name: 'MI210', units: 104 } },
  gfx942: { ...computeUnit, product: { name: 'MI300X', units: 304 } },
};

/** The code asks for one compute unit only (CU mode). */
const halfOf = (whole: Unit): Unit => ({
  ...whole,
  name: 'compute unit',
  schedulers: whole.schedulers / 2,
  sharedBytes: whole.sharedBytes / 2,
  groups: whole.groups / 2,
  singleWaveGroups: whole.singleWaveGroups / 2,
  product: whole.product && { ...whole.product, units: whole.product.units * 2 },
});

/** Warps, blocks and KiB of shared memory of a multiprocessor: CUDA C++ Programming Guide, technical specifications. */
const multiprocessors: Readonly<Record<string, readonly [warps: number, blocks: number, sharedKib: number]>> = {
  sm_75: [32, 16, 64],
  sm_80: [64, 32, 164],
  sm_86: [48, 16, 100],
  sm_87: [48, 16, 164],
  sm_89: [48, 24, 100],
  sm_90: [64, 32, 228],
  sm_100: [64, 32, 228],
};

/** Rules of the toolkit's cuda_occupancy.h, as in native/capture/cuda/launch/occupancy.cpp. */
function multiprocessor(target: string): Unit | null {
  const known = multiprocessors[target.replace(/[a-z]$/, '')];
  if (known === undefined) return null;
  const [warps, blocks, sharedKib] = known;
  return {
    name: 'multiprocessor',
    words: {
      group: 'block',
      wave: 'warp',
      lane: 'thread',
      registers: 'register',
      shared: 'shared memory',
      scratch: 'local memory',
    },
    schedulers: 4,
    wavesOfScheduler: warps / 4,
    registerBytes: 16384 * 4,
    registerGranule: 256 * 4,
    scalars: null,
    sharedBytes: sharedKib * 1024,
    sharedGranule: 128,
    sharedReserved: target === 'sm_75' ? 0 : 1024,
    groups: blocks,
    singleWaveGroups: blocks,
    product: null,
  };
}

/** Null for a processor whose limits are not known here. */
export function unitOf({ processor: name, isOnTwoUnits }: KernelResources): Unit | null {
  const wide = rdna[name];
  if (wide !== undefined) return isOnTwoUnits ? wide : halfOf(wide);
  return cdna[name] ?? multiprocessor(name);
}
