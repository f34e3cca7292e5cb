import type { Code, Reproducer } from '../reproducer/reproducer';
import { reproducerPaths } from '../reproducer/layout';
import { readRegularFile } from '../support/regular-file';
import type { SourceLine } from '../toolchain/line-table';
import { ownLineFinder } from './own-line';
import type { ReplaySession } from './session';

/** Whether the code is recompile's result for the source in the reproducer, so that its lines are those of the files. */
export function isOfSource(code: Code, { root, config }: Pick<Reproducer, 'root' | 'config'>): boolean {
  if (code.kind !== 'variant' || config.language === 'none') return false;
  return code.path === reproducerPaths(root).variant(config.language, config.device.kind);
}

/**
 * Source of the instruction that faulted, by the text of the device. Null if that does not tell it by its distance to
 * the entry, or if the code is not recompile's.
 */
export function sourceOfFault(
  fault: string,
  { code, facts, reproducer }: Pick<ReplaySession, 'code' | 'facts' | 'reproducer'>,
): SourceLine | null {
  if (code.kind !== 'variant' || !isOfSource(code, reproducer)) return null;
  const [, kernel, sign, distance] = /\bin kernel (\S+) at pc \S+ \(entry ([+-])(0x[0-9a-f]+)\)/.exec(fault) ?? [];
  if (kernel === undefined) return null;
  const entry = facts?.kernels.find(({ symbol }) => symbol === kernel)?.code?.begin;
  if (entry === undefined) return null;
  const address = entry + Number(distance) * (sign === '-' ? -1 : 1);
  const found = ownLineFinder(readRegularFile(code.path), reproducer)(address);
  return found?.isOwn === true ? { file: found.file, line: found.line } : null;
}
