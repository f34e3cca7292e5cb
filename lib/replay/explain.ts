import type { Explanation } from '../advice/advice-json';
import { advise } from '../advice/advise';
import type { LaunchFacts } from '../advice/facts';
import type { CaptureJson } from '../archive/capture-files';
import type { KernelResources } from '../toolchain/kernel-resources';
import type { HotSpotEvent, IterationEvent, Overridden } from './replay-events';
import { summarise, type CodeLines } from './hot-spots';
import type { SourceFiles } from './source-files';

/** A replayed kernel as advice sees it. */
export interface Replayed {
  iterations: readonly IterationEvent[];
  hotSpots: readonly HotSpotEvent[];
  overridden: Overridden | null;
  capture: Pick<CaptureJson, 'geometry' | 'kernel'>;
  /** Null if the code could not be read, or does not tell. */
  resources: KernelResources | null;
  lines: CodeLines | string;
  sources: SourceFiles;
}

export function explain({ iterations, hotSpots, overridden, capture, ...of }: Replayed): Explanation {
  const { instructions } = summarise(hotSpots, of.lines, 'executed', of.sources);
  const counters = iterations.at(-1)?.counters ?? {};
  return advise({
    launch: launchFacts(capture, overridden),
    code: of.resources,
    counters: Object.keys(counters).length === 0 ? null : counters,
    instructions,
    textOf: (file, line) => of.sources.line(file, line),
  });
}

/** The launch as it was, with what the options or the variant's source changed of it. */
function launchFacts({ geometry, kernel }: Replayed['capture'], overridden: Overridden | null): LaunchFacts {
  const { grid_blocks: grid, block_threads: block, dynamic_group_segment_bytes: dynamic } = overridden ?? {};
  const product = (extent: readonly number[]): number => extent.reduce((all, one) => all * one, 1);
  // A launch holds static and dynamic parts; a variant has other static ones.
  const { group_segment_bytes: captured } = kernel;
  const capturedDynamic = captured === undefined ? null : Math.max(0, geometry.group_segment_bytes - captured);
  return {
    threads: product(block?.to ?? geometry.block_threads),
    groups: product(grid?.to ?? geometry.grid_blocks),
    dynamicShared: dynamic?.to ?? capturedDynamic,
  };
}
