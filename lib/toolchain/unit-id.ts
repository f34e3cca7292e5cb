import { createHash } from 'node:crypto';
import type { Described } from './described-code';

/**
 * Prefix of an unused variable that clang since 18 defines in the device code of each HIP unit. The rest of its name is
 * a hash of the unit's id (ASTContext::getCUIDHash), by default a hash of path and options, so it differs between
 * folders.
 */
const prefix = '__hip_cuid_';

export function isUnitName(symbol: string): boolean {
  return symbol.startsWith(prefix);
}

/**
 * Finds an id for `-cuid=` whose hash has as many digits as the captured unit's, so that nothing else in the code
 * moves. Null if the code names no unit, or several. The original id cannot be recovered from its hash.
 */
export function unitIdLike({ amd, variables }: Described): string | null {
  const names = amd === undefined ? [] : variables.map(({ name }) => name);
  const [name, ...more] = names.filter((symbol) => isUnitName(symbol));
  const digits = name === undefined || more.length > 0 ? 0 : name.length - prefix.length;
  // One hash in 16 has a leading zero and so a digit less.
  const ids = Array.from({ length: 4096 }, (_, index) => `kernloop${index}`);
  return ids.find((id) => hashOf(id).length === digits) ?? null;
}

/** llvm::MD5Hash in hexadecimal digits, without leading zeros. */
function hashOf(id: string): string {
  return createHash('md5').update(id).digest().readBigUInt64LE().toString(16);
}
