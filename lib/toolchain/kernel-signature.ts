/** Place of an explicit argument in the kernarg segment. */
export interface ArgumentPlace {
  offset: number;
  size: number;
}

export interface CodeObjectKernel {
  /** Mangled name, without the `.kd` of AMD's descriptors. */
  symbol: string;
  /** Explicit arguments; null if the code object has no metadata for the kernel. */
  args: ArgumentPlace[] | null;
}
