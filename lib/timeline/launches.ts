/** When kernels ran, on the host's CLOCK_MONOTONIC: of a profile. */
export interface Launches {
  readonly boot: string;
  readonly rows: readonly {
    readonly name: string;
    readonly startNs: bigint;
    readonly endNs: bigint;
    readonly device: number;
    readonly stream: number;
  }[];
  /** Beyond those that the profile keeps. */
  readonly leftOut: number;
}
