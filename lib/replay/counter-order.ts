/** Display order of counters: instructions, lanes, and effect on memory (native/softgpu/engine/observe/counters.h). */
const counterOrder = [
  'wave_instructions',
  ...['valu', 'mfma', 'salu', 'smem', 'vmem_read', 'vmem_write', 'atomics', 'flat', 'lds', 'scratch'],
  ...['branches', 'barriers', 'other'],
  ...['conditional_branches', 'branches_taken', 'divergent_branches', 'active_lanes', 'valu_lanes'],
  ...['bytes_read', 'bytes_written', 'lane_bytes', 'atomic_lanes', 'memory_transactions'],
  ...['b8', 'b16', 'b32', 'b64', 'b96', 'b128'].map((width) => `transactions_${width}`),
  'memory_lines_128',
  ...['lds_bytes_read', 'lds_bytes_written', 'lds_passes', 'lds_bank_conflicts', 'lds_address_conflicts'],
  ...['scratch_bytes_read', 'scratch_bytes_written', 'waves', 'workgroups'],
];

/** Sorts the names and drops duplicates; unknown names come last. */
export function inCounterOrder(names: Iterable<string>): string[] {
  const rank = (name: string): number =>
    counterOrder.includes(name) ? counterOrder.indexOf(name) : counterOrder.length;
  return [...new Set(names)].sort((a, b) => rank(a) - rank(b));
}
