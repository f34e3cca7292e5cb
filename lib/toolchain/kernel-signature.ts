/** Where an explicit argument lies in the kernel-argument segment. */
export interface ArgumentPlace {
  offset: number;
  size: number;
}

export interface CodeObjectKernel {
  /** Mangled, without the `.kd` that AMD's descriptors add. */
  symbol: string;
  /** Explicit arguments; null where the code object has no metadata for the kernel. */
  args: ArgumentPlace[] | null;
}
