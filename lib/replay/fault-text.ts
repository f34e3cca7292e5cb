import { describeNear } from './guard';
import type { FaultEvent } from './replay-events';

/** Bytes that an index of 32 bits may go astray, with elements of 16 bytes: a pointer that is further away is no index. */
export const furthestNear = 2 ** 36;

/** Describes a fault in one line: kind, place in the code, lane, address. Prefers the device's own text. */
export function describeFault(fault: FaultEvent): string {
  const isNear = fault.near && fault.near.distance <= furthestNear && !isLocal(fault);
  const near = `${fault.near && isNear ? `: ${describeNear(fault.near)}` : ''}${fault.hint ? `; ${fault.hint}` : ''}`;
  if (fault.text) return `${fault.text}${near}`;
  const parts = [
    fault.kind,
    fault.kernel && `in ${fault.kernel}`,
    fault.pc && `pc ${fault.pc}`,
    fault.instruction && `"${fault.instruction}"`,
    fault.lane !== null && fault.lane !== undefined && `lane ${fault.lane}`,
    fault.address && `address ${fault.address}`,
  ];
  return `${parts.filter(Boolean).join(', ')}${near}`;
}

/** An address in LDS or private memory is an offset in it, and near to no region of global memory. */
function isLocal({ kind }: FaultEvent): boolean {
  return kind === 'lds_out_of_range' || kind === 'scratch_out_of_range';
}
