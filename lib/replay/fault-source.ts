import type { Code, Reproducer } from '../reproducer/reproducer';
import { reproducerPaths } from '../reproducer/layout';
import { readRegularFile } from '../support/regular-file';
import { machineAmdgpu } from '../toolchain/code-object-kernels';
import { isElf64, readSections, readSymbols, sectionTypes } from '../toolchain/elf';
import type { SourceLine } from '../toolchain/line-table';
import { ownLineFinder } from './own-line';

/** Whether the code is recompile's result for the source in the reproducer, so that its lines are those of the files. */
export function isOfSource(code: Code, { root, config }: Pick<Reproducer, 'root' | 'config'>): boolean {
  if (code.kind !== 'variant' || config.language === 'none') return false;
  return code.path === reproducerPaths(root).variant(config.language, config.device.kind);
}

/**
 * Source of the instruction that faulted, by the text of the device. Null if that does not tell it by its distance to
 * the entry, or if the code is not recompile's.
 */
export function sourceOfFault(fault: string, code: Code, reproducer: Reproducer): SourceLine | null {
  if (code.kind !== 'variant' || !isOfSource(code, reproducer)) return null;
  const [, kernel, sign, distance] = /\bin kernel (\S+) at pc \S+ \(entry ([+-])(0x[0-9a-f]+)\)/.exec(fault) ?? [];
  if (kernel === undefined) return null;
  const bytes = readRegularFile(code.path);
  if (!isElf64(bytes, machineAmdgpu)) return null;
  const sections = readSections(bytes);
  const entry = sections
    .filter(({ type }) => type === sectionTypes.dynsym || type === sectionTypes.symtab)
    .flatMap((table) => readSymbols(bytes, table, sections))
    .find(({ name, section }) => name === kernel && section > 0);
  if (entry === undefined) return null;
  const address = Number(entry.value) + Number(distance) * (sign === '-' ? -1 : 1);
  const found = ownLineFinder(bytes, reproducer)(address);
  return found?.isOwn === true ? { file: found.file, line: found.line } : null;
}
