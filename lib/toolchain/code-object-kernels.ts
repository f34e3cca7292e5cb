import { decode } from '@msgpack/msgpack';
import { z } from 'zod';
import { contentOf, isElf64, readNotes, readSections, sectionTypes, type Section } from './elf';

/** Where an explicit argument lies in the kernel-argument segment. */
export interface ArgumentPlace {
  offset: number;
  size: number;
}

export interface CodeObjectKernel {
  /** Mangled, without the `.kd` of its descriptor. */
  symbol: string;
  /** Explicit arguments; null where the code object has no metadata for the kernel. */
  args: ArgumentPlace[] | null;
}

const machineAmdgpu = 224;
const symbolBytes = 24;
const descriptorBytes = 64;
/** NT_AMDGPU_METADATA of LLVM's AMDGPU user guide: a MessagePack document. */
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

/** The kernels of an AMD code object, from its symbols and its metadata; null where the bytes are none. */
export function codeObjectKernels(bytes: Buffer): CodeObjectKernel[] | null {
  if (!isElf64(bytes, machineAmdgpu)) return null;
  const sections = readSections(bytes);
  const metadata = readMetadata(bytes, sections);
  const symbols = sections
    .filter(({ type }) => type === sectionTypes.symtab || type === sectionTypes.dynsym)
    .flatMap((table) => kernelSymbols(bytes, table, sections));
  return [...new Set(symbols)].sort().map((symbol) => ({ symbol, args: explicitArguments(metadata, symbol) }));
}

/** Every kernel has a descriptor: an object named after it, with `.kd`. */
function kernelSymbols(bytes: Buffer, table: Section, sections: readonly Section[]): string[] {
  const strings = sections[table.link];
  if (!strings) return [];
  const names = contentOf(bytes, strings);
  const entries = contentOf(bytes, table);
  const symbols: string[] = [];
  for (let at = 0; at + symbolBytes <= entries.length; at += symbolBytes) {
    const name = nameAt(names, entries.readUInt32LE(at));
    const section = sections[entries.readUInt16LE(at + 6)];
    if (!section || !name.endsWith('.kd')) continue;
    const inSection = Number(entries.readBigUInt64LE(at + 8) - section.address);
    if (inSection >= 0 && inSection + descriptorBytes <= contentOf(bytes, section).length)
      symbols.push(name.slice(0, -3));
  }
  return symbols;
}

function nameAt(names: Buffer, offset: number): string {
  const end = names.indexOf(0, offset);
  return offset >= names.length || end < 0 ? '' : names.toString('utf8', offset, end);
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

/** What the compiler appends for itself (`hidden_*`) is no part of the signature. */
function explicitArguments(metadata: Metadata | null, symbol: string): ArgumentPlace[] | null {
  const kernel = metadata?.['amdhsa.kernels'].find((entry) => entry['.symbol'] === `${symbol}.kd`);
  if (!kernel) return null;
  return kernel['.args']
    .filter((argument) => !argument['.value_kind'].startsWith('hidden_'))
    .map((argument) => ({ offset: argument['.offset'], size: argument['.size'] }));
}
