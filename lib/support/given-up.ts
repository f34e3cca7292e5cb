let check: () => void = () => undefined;

/** Work that somebody else waits for, who may have given it up meanwhile: `throwing` throws then, and is asked before each result takes its place. */
export function unlessGivenUp(throwing: () => void): void {
  check = throwing;
}

export function throwIfGivenUp(): void {
  check();
}
