import type { Deps } from '../deps/deps';
import { describeCode } from './described-code';
import { isUnitName } from './unit-id';

/**
 * Name of a writable variable, static ones included, that one of AMD's code objects has and the other lacks or has in
 * another size; null if there is none. A replay restores variables by name, and arguments may point into any.
 */
export async function lostVariable(
  one: Buffer,
  other: Buffer,
  deps: Pick<Deps, 'run' | 'native' | 'signal'>,
): Promise<string | null> {
  const [before, after] = [await variables(one, deps), await variables(other, deps)];
  const lost = [...before].find(([name, size]) => after.get(name) !== size && !isUnitName(name));
  return lost?.[0] ?? null;
}

async function variables(
  bytes: Buffer,
  deps: Pick<Deps, 'run' | 'native' | 'signal'>,
): Promise<ReadonlyMap<string, number>> {
  const described = await describeCode(bytes, deps);
  const writable = (described?.amd === undefined ? [] : described.variables).filter(
    ({ is_writable: isWritable }) => isWritable,
  );
  return new Map(writable.map(({ name, bytes: size }) => [name, size]));
}
