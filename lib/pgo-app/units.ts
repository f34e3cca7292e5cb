import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { App } from '../app/app';
import { KernloopError } from '../support/error';
import { parseCompileArguments, renderCompileArgument } from '../toolchain/compile-arguments';
import { readCompileDatabase, type CompileCommand } from '../toolchain/compile-database';
import { hipDialect } from '../toolchain/dialect-hip';
import { shellWords } from '../toolchain/shell-words';

/** One file of the app, and how it is compiled. */
export interface AppUnit {
  file: string;
  directory: string;
  /** Where the app's build puts the object, absolute; null where the command does not say. */
  object: string | null;
  /** With device code; the others are compiled as the app does. */
  isHip: boolean;
  compiler: string;
  /** Of a unit with device code: for clang, without output, and with its language. */
  args: readonly string[];
  targets: readonly string[];
}

/** Every unit of the compile database. */
export function appUnits({ root, config }: App): AppUnit[] {
  const database = config.compileCommands === undefined ? undefined : resolve(root, config.compileCommands);
  if (database === undefined || !existsSync(database)) {
    throw new KernloopError(
      'COMPILE_DATABASE_INVALID',
      database === undefined
        ? `${config.name} names no compile database: PGO rebuilds an app by the commands of its build`
        : `${database} does not exist`,
      'build with CMAKE_EXPORT_COMPILE_COMMANDS=ON, and name the file in "compileCommands" of kernloop.json',
    );
  }
  const units = readCompileDatabase(database).map((command) => unitOf(command, config.env));
  if (units.some(({ isHip }) => isHip)) return units;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `${database} compiles no HIP code: the stages of PGO build HIP kernels for AMD GPUs alone`,
    'see docs/pgo.md for what the plugin does for other targets',
  );
}

function unitOf(command: CompileCommand, env: Readonly<Record<string, string>>): AppUnit {
  const { file, directory, compiler, args } = command;
  const unit = hipDialect.read(command, env);
  const output = parseCompileArguments(args).find(({ option }) => option === '-o')?.value ?? null;
  const object = output === null ? null : resolve(directory, output);
  if (unit === null) return { file, directory, object, isHip: false, compiler, args, targets: [] };
  const kept = unit.args.filter(({ kind }) => kind !== 'drop');
  return {
    ...{ file, directory, object, isHip: true, compiler },
    args: kept.flatMap(renderCompileArgument),
    targets: kept.flatMap(({ kind, value }) => (kind === 'arch' ? (value ?? '').split(',') : [])),
  };
}

/**
 * What the app's build links its program with, beside the objects: read from what CMake left (`CMakeFiles/<target>.dir/link.txt`), since a compile
 * database says nothing of linking. Null where there is none.
 */
export function linkWords(program: string, units: readonly AppUnit[]): string[] | null {
  const folders = [...new Set(units.map(({ directory }) => directory))];
  for (const folder of folders) {
    const found = linkFiles(join(folder, 'CMakeFiles')).find((file) => {
      const words = shellWords(readFileSync(file, 'utf8'));
      const output = words[words.indexOf('-o') + 1];
      return output !== undefined && resolve(dirname(dirname(dirname(file))), output) === program;
    });
    if (found !== undefined) return shellWords(readFileSync(found, 'utf8').trim());
  }
  return null;
}

function linkFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.endsWith('.dir'))
    .map((entry) => join(folder, entry.name, 'link.txt'))
    .filter((file) => existsSync(file));
}

export const objectName = (unit: AppUnit, index: number): string => `${index}-${basename(unit.file)}.o`;
