import type { KernelResources } from '../toolchain/kernel-resources';

export type Figures = Readonly<Record<string, number>>;

/** An instruction and its exact counts; `file` and `line` where the code has line information. */
export interface CountedInstruction {
  offset: string | null;
  instruction: string;
  file: string | null;
  line: number | null;
  figures: Figures;
}

export interface LaunchFacts {
  /** Threads of a workgroup. */
  threads: number;
  groups: number;
  /** Bytes of LDS or shared memory of a workgroup that the launch adds to the static ones. */
  dynamicShared: number | null;
}

/** Everything that rules may look at. Null is what nobody told: a rule that needs it says nothing. */
export interface Facts {
  launch: LaunchFacts;
  code: KernelResources | null;
  /** Counters of the dispatch, by the software GPU (docs/softgpu.md). */
  counters: Figures | null;
  /** Every instruction that a wave reached; empty without counters. */
  instructions: readonly CountedInstruction[];
  /** A source line as people read it; null if its file is not known. */
  textOf: (file: string, line: number) => string | null;
}
