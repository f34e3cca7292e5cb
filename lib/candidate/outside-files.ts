import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Reproducer } from '../reproducer/reproducer';
import { outsideName } from '../reproducer/variant-json';
import { sha256OfFile } from '../support/files';
import type { CompileResult } from '../toolchain/compile';

/** Digests, by name, of the files outside of its folder that a candidate was compiled from. */
export type OutsideFiles = Readonly<Record<string, string>>;

export function outsideFiles(
  reproducer: Reproducer,
  { outside, system = [] }: Pick<CompileResult, 'outside' | 'system'>,
  digestOf = sha256OfFile,
): Record<string, string> {
  return Object.fromEntries([...outside, ...system].map((path) => [outsideName(path, reproducer), digestOf(path)]));
}

/** Whether these files are still the same: only a compilation reveals them, so that no key covers them. */
export function areCurrent(files: OutsideFiles, root: string): boolean {
  return Object.entries(files).every(([name, content]) => {
    const path = isAbsolute(name) ? name : resolve(root, name);
    return existsSync(path) && sha256OfFile(path) === content;
  });
}
