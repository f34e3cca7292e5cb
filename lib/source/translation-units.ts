import { existsSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { readCompileDatabase } from '../toolchain/compile-database';
import { defaultTranslationUnit } from '../toolchain/dialects';
import type { TranslationUnit } from '../toolchain/translation-unit';
import type { KernelQuery } from './kernel-query';
import { sourcesBelow } from './project-files';

type UnitDeps = Pick<Deps, 'report'>;

/** Units of the app's build with device code: all of them, or the unit that the user chose. */
export function translationUnits(query: KernelQuery, deps: UnitDeps): TranslationUnit[] {
  const units = allUnits(query, deps);
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

function allUnits(query: KernelQuery, deps: UnitDeps): TranslationUnit[] {
  if (query.compileCommands !== undefined && existsSync(query.compileCommands)) {
    return readCompileDatabase(query.compileCommands)
      .map((command) => query.dialect.read(command, query.environment))
      .filter((unit) => unit !== null);
  }
  deps.report.warn(
    `${query.compileCommands ? `${query.compileCommands} does not exist` : 'no compile database is named'}: ` +
      `the sources are compiled with plain ${query.dialect.compiler}; have the build watched once (\`kernloop watch-build -- make\`), or build with CMAKE_EXPORT_COMPILE_COMMANDS=ON and set "compileCommands", for the options of the app`,
  );
  return sourcesBelow(query.source, query.dialect.sources).map((file) =>
    defaultTranslationUnit(file, query.source, query.dialect, query.environment),
  );
}
