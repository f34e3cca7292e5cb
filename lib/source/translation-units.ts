import { existsSync } from 'node:fs';
import { KernloopError } from '../support/error';
import { readCompileDatabase } from '../toolchain/compile-database';
import { defaultTranslationUnit } from '../toolchain/dialects';
import type { TranslationUnit } from '../toolchain/translation-unit';
import type { KernelQuery } from './kernel-query';
import { sourcesBelow } from './project-files';

/**
 * Units of the app's build with device code: all of them, or the unit that the user chose. Without a compile database
 * these are the sources, as their compiler takes them by default.
 */
export function translationUnits(query: KernelQuery): TranslationUnit[] {
  const units = allUnits(query);
  if (query.translationUnit === undefined) return units;
  const chosen = units.filter(({ file }) => file === query.translationUnit);
  if (chosen.length > 0) return chosen;
  throw new KernloopError(
    'SOURCE_NOT_FOUND',
    `${query.translationUnit} is not compiled as ${query.dialect.label} by the app's build`,
    `translation units with device code: ${
      units
        .map(({ file }) => file)
        .slice(0, 10)
        .join(', ') || 'none'
    }`,
  );
}

function allUnits(query: KernelQuery): TranslationUnit[] {
  if (query.compileCommands !== undefined && existsSync(query.compileCommands)) {
    return readCompileDatabase(query.compileCommands)
      .map((command) => query.dialect.read(command, query.environment))
      .filter((unit) => unit !== null);
  }
  return sourcesBelow(query.source, query.dialect.sources).map((file) =>
    defaultTranslationUnit(file, query.source, query.dialect, query.environment),
  );
}
