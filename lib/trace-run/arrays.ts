import type { CaptureJson } from '../archive/capture-files';
import type { KernelJson } from '../reproducer/kernel-json';
import { claimsOn } from '../reproducer/signature';
import type { ProbedDispatch } from './result';

type NamedArray = ProbedDispatch['arrays'][number];

/** Memory of the kernel by address, under the names of the parameters that point to it, else of its region. */
export function arraysOf(config: KernelJson, capture: CaptureJson): NamedArray[] {
  const found = capture.regions.flatMap((region): NamedArray[] => {
    const base = BigInt(region.base);
    const claims = claimsOn({ ...region, base }, config, capture);
    const arrays = claims.map(({ offset, size, parameters }) =>
      arrayAt(
        parameters.map(({ name, index }) => name ?? `argument ${index}`).join(', ') || region.id,
        base + BigInt(offset),
        size,
      ),
    );
    // Bytes before the first pointer belong to no parameter.
    const before = claims[0]?.offset ?? region.size;
    return before > 0 ? [arrayAt(region.id, base, before), ...arrays] : arrays;
  });
  return found.sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
}

const arrayAt = (name: string, address: bigint, bytes: number): NamedArray => ({
  name,
  address: `0x${address.toString(16)}`,
  bytes,
});
