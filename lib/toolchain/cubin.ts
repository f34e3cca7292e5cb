import { contentOf, isElf64, readSections, readSymbols, sectionTypes } from './elf';
import type { ArgumentPlace, CodeObjectKernel } from './kernel-signature';

const machineCuda = 190;
const typeExecutable = 2;
const symbolFunction = 2;
/** Flag STO_CUDA_ENTRY in a symbol's `st_other`. */
const entryFlag = 0x10;

/**
 * Kernels of a linked cubin; null if the bytes are none. The format is NVIDIA's own: native/codeobject/cubin.h, which
 * reads more of it, and its test data document what was found and how.
 */
export function cubinKernels(bytes: Buffer): CodeObjectKernel[] | null {
  if (!isElf64(bytes, machineCuda) || bytes.readUInt16LE(16) !== typeExecutable) return null;
  const sections = readSections(bytes);
  const byName = new Map(sections.map((section) => [section.name, section]));
  const symbols = sections
    .filter(({ type }) => type === sectionTypes.symtab)
    .flatMap((table) => readSymbols(bytes, table, sections))
    .filter(({ info, other }) => (info & 0xf) === symbolFunction && (other & entryFlag) !== 0)
    .filter(({ name, section }) => name !== '' && sections[section]?.name === `.text.${name}`)
    .map(({ name }) => name);
  return [...new Set(symbols)].sort().map((symbol) => {
    const section = byName.get(`.nv.info.${symbol}`);
    return { symbol, args: section ? argumentsOf(readAttributes(contentOf(bytes, section))) : null };
  });
}

/** Instructions by function name, including kernels. */
export function cubinFunctions(bytes: Buffer): Map<string, { isKernel: boolean; code: Buffer }> {
  const prefix = '.text.';
  const kernels = new Set(cubinKernels(bytes)?.map(({ symbol }) => symbol));
  const functions = isElf64(bytes, machineCuda)
    ? readSections(bytes).filter(({ name }) => name.startsWith(prefix))
    : [];
  return new Map(
    functions.map((section) => {
      const name = section.name.slice(prefix.length);
      return [name, { isKernel: kernels.has(name), code: contentOf(bytes, section) }];
    }),
  );
}

interface Attribute {
  code: number;
  /** Value in formats with a byte or a half word. */
  value: number;
  /** Words in the format with a size and that many bytes. */
  words: number[];
}

const sizedFormat = 4;
const attributes = {
  parameterBank: 0x0a,
  parameter: 0x17,
  parametersSize: 0x19,
  parameterV2: 0x45,
} as const;

/** Reads EIATTR records: a format byte, an attribute byte and a value; null if they do not fill the section exactly. */
function readAttributes(content: Buffer): Attribute[] | null {
  const found: Attribute[] = [];
  for (let at = 0; at < content.length;) {
    if (at + 4 > content.length) return null;
    const format = content.readUInt8(at);
    const code = content.readUInt8(at + 1);
    const value = content.readUInt16LE(at + 2);
    const size = format === sizedFormat ? value : 0;
    at += 4;
    if (format === 0 || format > sizedFormat || at + size > content.length) return null;
    const start = at;
    const words = Array.from({ length: Math.floor(size / 4) }, (_, index) => content.readUInt32LE(start + index * 4));
    found.push({ code, value, words });
    at += size;
  }
  return found;
}

/** Arguments by number; null if the records contradict each other or the total size. */
function argumentsOf(records: readonly Attribute[] | null): ArgumentPlace[] | null {
  if (!records) return null;
  const bytes = records.find(({ code }) => code === attributes.parametersSize)?.value ?? 0;
  const parameters = records
    .flatMap(({ code, words: [, place = 0, description = 0] }) => {
      if (code !== attributes.parameter && code !== attributes.parameterV2) return [];
      const size = code === attributes.parameter ? description >>> 18 : description & 0xffff;
      return [{ ordinal: place & 0xffff, offset: place >>> 16, size }];
    })
    .sort((a, b) => a.ordinal - b.ordinal);
  let end = 0;
  for (const [index, { ordinal, offset, size }] of parameters.entries()) {
    if (ordinal !== index || offset < end || offset + size > bytes) return null;
    end = offset + size;
  }
  return parameters.map(({ offset, size }) => ({ offset, size }));
}
