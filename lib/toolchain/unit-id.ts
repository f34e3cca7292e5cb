import { createHash } from 'node:crypto';
import { machineAmdgpu } from './code-object-kernels';
import { contentOf, isElf64, readSections, readSymbols, sectionTypes } from './elf';

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
export function unitIdLike(code: Buffer): string | null {
  const [name, ...more] = symbolsOf(code).filter((symbol) => isUnitName(symbol));
  const digits = name === undefined || more.length > 0 ? 0 : name.length - prefix.length;
  // One hash in 16 has a leading zero and so a digit less.
  const ids = Array.from({ length: 4096 }, (_, index) => `kernloop${index}`);
  return ids.find((id) => hashOf(id).length === digits) ?? null;
}

/** llvm::MD5Hash in hexadecimal digits, without leading zeros. */
function hashOf(id: string): string {
  return createHash('md5').update(id).digest().readBigUInt64LE().toString(16);
}

/** Whether two AMD code objects differ only in the name of their unit, apart from sections that are not loaded. */
export function isSameButUnitName(one: Buffer, other: Buffer): boolean {
  const [mine, theirs] = [withoutUnitName(one), withoutUnitName(other)];
  return mine !== null && mine.join('\n') === theirs?.join('\n');
}

/** Sections that find a symbol by its name, or contain it. */
const lookup = ['.dynsym', '.dynstr', '.hash', '.gnu.hash'];

function withoutUnitName(bytes: Buffer): string[] | null {
  if (!isElf64(bytes, machineAmdgpu)) return null;
  const sections = readSections(bytes);
  const parts = sections
    .filter(({ name, address }) => name === '.note' || (address > 0n && !lookup.includes(name)))
    .map((part) => `${part.name} ${part.address} ${part.size} ${contentOf(bytes, part).toString('base64')}`);
  const symbols = dynamicSymbols(bytes).map(
    ({ name, info, other, section, value, size }) =>
      `${isUnitName(name) ? prefix : name} ${info} ${other} ${sections[section]?.name ?? ''} ${value} ${size}`,
  );
  return parts.some((part) => part.startsWith('.text ')) ? [...parts, ...symbols.sort()] : null;
}

const symbolsOf = (bytes: Buffer): string[] =>
  isElf64(bytes, machineAmdgpu) ? dynamicSymbols(bytes).map(({ name }) => name) : [];

function dynamicSymbols(bytes: Buffer): ReturnType<typeof readSymbols> {
  const sections = readSections(bytes);
  return sections
    .filter(({ type }) => type === sectionTypes.dynsym)
    .flatMap((table) => readSymbols(bytes, table, sections));
}
