import { machineAmdgpu } from './code-object-kernels';
import { isElf64, readSections, readSymbols } from './elf';

const functionType = 2;
/**
 * Functions that new, malloc, delete and free call (ROCm-Device-Libs, ockl/src/dm.cl), and the one by which they ask the
 * host for memory (hostcall_impl.cl), whose packets waves hand to each other by plain stores.
 */
const heapFunctions = ['__ockl_dm_alloc', '__ockl_dm_dealloc', '__ockl_hostcall_internal'];

/** Returns a test for offsets in one of AMD's code objects that belong to the heap of ROCm's device library. */
export function deviceHeapCode(bytes: Buffer): (offset: number) => boolean {
  if (!isElf64(bytes, machineAmdgpu)) return () => false;
  const sections = readSections(bytes);
  const ranges = sections
    .filter(({ name }) => name === '.symtab')
    .flatMap((table) => readSymbols(bytes, table, sections))
    .filter(({ name, info, section }) => (info & 0xf) === functionType && section > 0 && heapFunctions.includes(name))
    .map(({ value, size }) => [Number(value), Number(value + size)] as const);
  return (offset) => ranges.some(([first, end]) => offset >= first && offset < end);
}
