import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ReplaySession } from '../replay/session';
import { reproducerPaths } from '../reproducer/layout';
import type { Reproducer } from '../reproducer/reproducer';
import { parseDemangledName } from '../source/demangled-name';
import { findKernelDefinitions } from '../source/kernel-definitions';
import { bestDefinition } from '../source/match-definition';
import { readPythonModule } from '../source/python-module';
import { openSourceParser } from '../source/source-parser';
import type { DispatchReport } from './report-json';
import { readRegularFile } from '../support/regular-file';

/**
 * Place `<file>:<line>` of the source that a verdict concerns, for editors (.vscode/tasks.json): the first access of a
 * race, or else the kernel. Null if the judged code is not recompile's result for that source.
 */
export async function placeOfVerdict(
  reports: readonly DispatchReport[],
  { code, reproducer }: Pick<ReplaySession, 'code' | 'reproducer'>,
): Promise<string | null> {
  const { root, config } = reproducer;
  if (code.kind !== 'variant' || config.language === 'none' || config.source === null) return null;
  if (code.path !== reproducerPaths(root).variant(config.language, config.device.kind)) return null;
  const racing = reports.flatMap(({ races }) => races ?? []).find(({ accesses: [first] }) => first?.source != null);
  const [, file, line] = /^(.*):(\d+)$/.exec(racing?.accesses[0]?.source ?? '') ?? [];
  if (file !== undefined && existsSync(join(root, file))) return `${shown(root, file)}:${line}`;
  const { variant } = config.source;
  if (!existsSync(join(root, variant))) return null;
  return `${shown(root, variant)}:${await lineOfKernel(reproducer, variant)}`;
}

const shown = (root: string, file: string): string => relative(process.cwd(), join(root, file));

/** Returns 1 if the kernel is not found (a macro may name it): a missing place must not lose the verdict. */
async function lineOfKernel({ root, config }: Reproducer, file: string): Promise<number> {
  try {
    const text = readRegularFile(join(root, file), 'utf8');
    const name = parseDemangledName(config.demangled);
    if (config.language === 'triton') {
      const { statements } = readPythonModule(text, await openSourceParser('python'));
      return statements.find(({ binds }) => binds.includes(name.base))?.line ?? 1;
    }
    return bestDefinition(findKernelDefinitions(text, await openSourceParser()), name)?.line ?? 1;
  } catch {
    return 1;
  }
}
