let check: () => void = () => undefined;

/** Lets a caller give up work: `throwing` runs before each result is put in place, and throws if it was given up. */
export function unlessGivenUp(throwing: () => void): void {
  check = throwing;
}

export function throwIfGivenUp(): void {
  check();
}
