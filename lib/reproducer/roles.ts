import type { CaptureJson } from '../archive/capture-files';
import type { KernelJson } from './kernel-json';

export interface IgnoredRange {
  region: string;
  offset: number;
  size: number;
}

/** Regions behind arguments with the role "workspace" or "ignore", unless another argument needs them. */
export function ignoredRanges(config: KernelJson, capture: CaptureJson): IgnoredRange[] {
  const regionOf = new Map(capture.kernarg.slots.map(({ offset, region }) => [offset, region]));
  const behind = (ignored: boolean): Set<string> =>
    new Set(
      config.args
        .filter(({ role }) => (role === 'workspace' || role === 'ignore') === ignored)
        .flatMap(({ offset }) => regionOf.get(offset) ?? []),
    );
  const needed = behind(false);
  return [...behind(true)]
    .filter((region) => !needed.has(region))
    .map((region) => ({ region, offset: 0, size: capture.regions.find(({ id }) => id === region)?.size ?? 0 }));
}
