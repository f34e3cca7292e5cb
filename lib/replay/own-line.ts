import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Reproducer } from '../reproducer/reproducer';
import { placesAt, readInlinedCalls } from '../toolchain/inlined-calls';
import { readLineTable, type SourceLine } from '../toolchain/line-table';
import { SourceFiles } from './source-files';

/** Source of an instruction; `isOwn`: in a file of the reproducer. */
export type OwnLine = SourceLine & { readonly isOwn: boolean };

/**
 * Finds the line of an instruction in files of the reproducer. The code of atomicAdd has a line of HIP's header, and its
 * call the line of the kernel; code without any call here keeps its own line. Null for code without line information.
 */
export function ownLineFinder(code: Buffer, reproducer: Reproducer): (address: number) => OwnLine | null {
  const table = readLineTable(code);
  const calls = readInlinedCalls(code);
  const sources = new SourceFiles(reproducer);
  return (address) => {
    const lines = placesAt(table, calls, address).map(({ file, line }): OwnLine => {
      const shown = sources.shown(file);
      return { file: shown, line, isOwn: existsSync(join(reproducer.root, shown)) };
    });
    return lines.find(({ isOwn }) => isOwn) ?? lines[0] ?? null;
  };
}
