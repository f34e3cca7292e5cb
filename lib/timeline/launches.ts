/** Times at which kernels ran, on the host's CLOCK_MONOTONIC, from a profile. */
export interface Launches {
  readonly boot: string;
  readonly rows: readonly {
    readonly name: string;
    readonly startNs: bigint;
    readonly endNs: bigint;
    readonly device: number;
    readonly stream: number;
  }[];
  /** Number of launches that the profile does not keep. */
  readonly leftOut: number;
}
