import { contentOf, isElf64, readSections, sectionTypes } from './elf';

const amdgpu = 224;

/**
 * Whether two AMD code objects are the same in all that is loaded or says how to launch: instructions, descriptors, constants, metadata. Names
 * of files and line tables may differ.
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

/** Whether they have the same instructions, whatever the data are; null of what is no AMD code object. */
export function isSameText(one: Buffer, other: Buffer): boolean | null {
  const [mine, theirs] = [one, other].map((bytes) =>
    isElf64(bytes, amdgpu) ? readSections(bytes).filter(({ name }) => name === '.text') : null,
  );
  if (!mine || !theirs) return null;
  const contents = (bytes: Buffer, sections: typeof mine): string =>
    sections.map((section) => contentOf(bytes, section).toString('base64')).join();
  return contents(one, mine) === contents(other, theirs);
}

/** Each as its name and content. */
function loaded(bytes: Buffer): string[] | null {
  if (!isElf64(bytes, amdgpu)) return null;
  const parts = readSections(bytes).filter(
    ({ address, type, name }) => name === '.note' || (address > 0n && type !== sectionTypes.nobits),
  );
  // How much there is before it, and with it every address, changes with no file name.
  return parts.some(({ name }) => name === '.text')
    ? parts.map((part) => `${part.name} ${part.address} ${contentOf(bytes, part).toString('base64')}`)
    : null;
}
