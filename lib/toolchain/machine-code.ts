import { cubinFunctions } from './cubin';

/**
 * Whether two cubins have the same instructions for a kernel; names and debug information may differ. Functions that it
 * may call are compared if both have them, because linked code includes those of other units.
 */
export function isSameMachineCode(symbol: string, one: Buffer, other: Buffer): boolean {
  const [ours, theirs] = [cubinFunctions(one), cubinFunctions(other)];
  const kernel = ours.get(symbol);
  if (!kernel || !theirs.get(symbol)?.code.equals(kernel.code)) return false;
  return [...ours].every(([name, { isKernel, code }]) => {
    const counterpart = theirs.get(name);
    return isKernel || !counterpart || counterpart.code.equals(code);
  });
}
