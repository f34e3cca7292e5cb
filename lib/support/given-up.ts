let check: () => void = () => undefined;

/**
 * Lets the waiting caller give up work: `throwing` is called before each result is put in place, and throws if the
 * caller has given up.
 */
export function unlessGivenUp(throwing: () => void): void {
  check = throwing;
}

export function throwIfGivenUp(): void {
  check();
}
