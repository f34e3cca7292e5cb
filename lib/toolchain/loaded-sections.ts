import { contentOf, isElf64, readSections, sectionTypes } from './elf';

const amdgpu = 224;

/**
 * Whether two AMD code objects are equal in everything that is loaded or describes the launch: instructions,
 * descriptors, constants, metadata. File names and line tables may differ.
 */
export function isSameWhenLoaded(one: Buffer, other: Buffer): boolean {
  const [mine, theirs] = [loaded(one), loaded(other)];
  return (
    mine !== null &&
    theirs !== null &&
    mine.length === theirs.length &&
    mine.every((part, index) => part === theirs[index])
  );
}

/** Whether two AMD code objects have the same instructions, whatever their data; null if one is no AMD code object. */
export function isSameText(one: Buffer, other: Buffer): boolean | null {
  const [mine, theirs] = [one, other].map((bytes) =>
    isElf64(bytes, amdgpu) ? readSections(bytes).filter(({ name }) => name === '.text') : null,
  );
  if (!mine || !theirs) return null;
  const contents = (bytes: Buffer, sections: typeof mine): string =>
    sections.map((section) => contentOf(bytes, section).toString('base64')).join();
  return contents(one, mine) === contents(other, theirs);
}

/** Name, address and content of each loaded section. */
function loaded(bytes: Buffer): string[] | null {
  if (!isElf64(bytes, amdgpu)) return null;
  const parts = readSections(bytes).filter(
    ({ address, type, name }) => name === '.note' || (address > 0n && type !== sectionTypes.nobits),
  );
  // Addresses are compared too: a file name does not change them.
  return parts.some(({ name }) => name === '.text')
    ? parts.map((part) => `${part.name} ${part.address} ${contentOf(bytes, part).toString('base64')}`)
    : null;
}
