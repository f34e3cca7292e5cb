import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ReplaySession } from '../replay/session';
import { reproducerPaths } from '../reproducer/layout';
import { SourceFiles } from '../replay/source-files';
import { readRegularFile } from '../support/regular-file';
import { machineAmdgpu } from '../toolchain/code-object-kernels';
import { isElf64, readSections, readSymbols, sectionTypes } from '../toolchain/elf';
import { readLineTable, type SourceLine } from '../toolchain/line-table';
import { placesOfEdit } from './edited-lines';
import { newPastLds } from './past-lds';
import type { DispatchReport } from './report-json';

/**
 * Line with the place of the source that a verdict concerns, for people and editors (.vscode/tasks.json): the
 * instruction that faulted, the first access that is wrong by itself, or else the edit. Null if the judged code is not recompile's result for that source.
 */
export function placeOfVerdict(
  reports: readonly DispatchReport[],
  { code, reproducer }: Pick<ReplaySession, 'code' | 'reproducer'>,
): string | null {
  const { root, config } = reproducer;
  if (code.kind !== 'variant' || config.language === 'none') return null;
  if (code.path !== reproducerPaths(root).variant(config.language, config.device.kind)) return null;
  const wrong = placeOfFault(reports, code, reproducer) ?? placeOfAccess(reports, root);
  if (wrong) return `at ${shown(root, wrong.file)}:${wrong.line}`;
  const [first, ...others] = placesOfEdit(reproducer);
  if (first === undefined) return null;
  const more = others.length > 0 ? `, and ${others.length} more ${others.length === 1 ? 'place' : 'places'}` : '';
  return `edited at ${shown(root, first.file)}:${first.line}${more}`;
}

/** Source of the first instruction that faulted. Null if the device does not tell it by its distance to the entry. */
function placeOfFault(
  reports: readonly DispatchReport[],
  code: Extract<ReplaySession['code'], { kind: 'variant' }>,
  reproducer: ReplaySession['reproducer'],
): SourceLine | null {
  const fault = reports.map((one) => one.fault ?? '').find((text) => text !== '');
  const [, kernel, sign, distance] =
    /\bin kernel (\S+) at pc \S+ \(entry ([+-])(0x[0-9a-f]+)\)/.exec(fault ?? '') ?? [];
  if (kernel === undefined) return null;
  const bytes = readRegularFile(code.path);
  if (!isElf64(bytes, machineAmdgpu)) return null;
  const sections = readSections(bytes);
  const entry = sections
    .filter(({ type }) => type === sectionTypes.dynsym || type === sectionTypes.symtab)
    .flatMap((table) => readSymbols(bytes, table, sections))
    .find(({ name, section }) => name === kernel && section > 0);
  if (entry === undefined) return null;
  const place = readLineTable(bytes)?.at(Number(entry.value) + Number(distance) * (sign === '-' ? -1 : 1));
  if (place === undefined) return null;
  const file = new SourceFiles(reproducer).shown(place.file);
  return existsSync(join(reproducer.root, file)) ? { file, line: place.line } : null;
}

/** Source of the first access that is wrong by itself: a race, or one past the end of LDS. Null if there is none. */
export function placeOfAccess(reports: readonly DispatchReport[], root: string): SourceLine | null {
  const wrong = reports.flatMap(({ races = [], past_lds: pastLds }) => [
    ...races.flatMap(({ accesses: [first] }) => first?.source ?? []),
    ...newPastLds(pastLds).flatMap(({ source }) => source ?? []),
  ]);
  const [, file = '', line = ''] =
    wrong.map((text) => /^(.*):(\d+)$/.exec(text)).find((found) => existsSync(join(root, found?.[1] ?? ''))) ?? [];
  return line === '' ? null : { file, line: Number(line) };
}

const shown = (root: string, file: string): string => relative(process.cwd(), join(root, file));
