import { decode } from '@msgpack/msgpack';
import { z } from 'zod';
import { cubinKernels } from './cubin';
import { contentOf, isElf64, readNotes, readSections, readSymbols, sectionTypes, type Section } from './elf';
import type { ArgumentPlace, CodeObjectKernel } from './kernel-signature';

export const machineAmdgpu = 224;
const descriptorBytes = 64;
/** NT_AMDGPU_METADATA in LLVM's AMDGPU user guide: a MessagePack document. */
const metadataNote = { name: 'AMDGPU', type: 32 };

const metadataSchema = z.looseObject({
  'amdhsa.kernels': z.array(
    z.looseObject({
      '.symbol': z.string(),
      '.args': z
        .array(z.looseObject({ '.offset': z.number(), '.size': z.number(), '.value_kind': z.string() }))
        .default([]),
    }),
  ),
});

type Metadata = z.output<typeof metadataSchema>;

/** Kernels of a code object (AMD's or a cubin) from its symbols and metadata; null if the bytes are no code object. */
export function codeObjectKernels(bytes: Buffer): CodeObjectKernel[] | null {
  if (!isElf64(bytes, machineAmdgpu)) return cubinKernels(bytes);
  const sections = readSections(bytes);
  const metadata = readMetadata(bytes, sections);
  const symbols = sections
    .filter(({ type }) => type === sectionTypes.symtab || type === sectionTypes.dynsym)
    .flatMap((table) => kernelSymbols(bytes, table, sections));
  return [...new Set(symbols)].sort().map((symbol) => ({ symbol, args: explicitArguments(metadata, symbol) }));
}

/** Every kernel has a descriptor: an object with its name plus `.kd`. */
function kernelSymbols(bytes: Buffer, table: Section, sections: readonly Section[]): string[] {
  return readSymbols(bytes, table, sections).flatMap(({ name, section: index, value }) => {
    const section = sections[index];
    if (!section || !name.endsWith('.kd')) return [];
    const inSection = Number(value - section.address);
    return inSection >= 0 && inSection + descriptorBytes <= contentOf(bytes, section).length ? [name.slice(0, -3)] : [];
  });
}

/** Launch metadata of a kernel; null if the code object has none. */
export function kernelMetadata(bytes: Buffer, symbol: string): unknown {
  const metadata = readMetadata(bytes, readSections(bytes));
  return metadata?.['amdhsa.kernels'].find((entry) => entry['.symbol'] === `${symbol}.kd`) ?? null;
}

function readMetadata(bytes: Buffer, sections: readonly Section[]): Metadata | null {
  const note = sections
    .filter(({ type }) => type === sectionTypes.note)
    .flatMap((section) => readNotes(contentOf(bytes, section)))
    .find(({ name, type }) => name === metadataNote.name && type === metadataNote.type);
  const parsed = metadataSchema.safeParse(note && decodeOrNull(note.content));
  return parsed.success ? parsed.data : null;
}

function decodeOrNull(content: Buffer): unknown {
  try {
    return decode(content);
  } catch {
    return null;
  }
}

/** Arguments that the compiler appends (`hidden_*`) are not part of the signature. */
function explicitArguments(metadata: Metadata | null, symbol: string): ArgumentPlace[] | null {
  const kernel = metadata?.['amdhsa.kernels'].find((entry) => entry['.symbol'] === `${symbol}.kd`);
  if (!kernel) return null;
  return kernel['.args']
    .filter((argument) => !argument['.value_kind'].startsWith('hidden_'))
    .map((argument) => ({ offset: argument['.offset'], size: argument['.size'] }));
}
