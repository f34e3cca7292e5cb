import { cubinFunctions } from './cubin';

/**
 * Whether a kernel is the same down to its instructions in two cubins, which may differ in names and debug information. The functions
 * that it may call count, as far as both have them: linked code has those of other units too.
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
