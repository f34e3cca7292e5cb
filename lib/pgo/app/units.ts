import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { App } from '../../app/app';
import { compileDatabaseOf } from '../../app/compile-database';
import { KernloopError } from '../../support/error';
import { parseCompileArguments, renderCompileArgument } from '../../toolchain/compile-arguments';
import { readCompileDatabase, type CompileCommand } from '../../toolchain/compile-database';
import { cudaDialect } from '../../toolchain/dialect-cuda';
import { hipDialect } from '../../toolchain/dialect-hip';
import { shellWords } from '../../toolchain/shell-words';

/** A source file of the app, and how it is compiled. */
export interface AppUnit {
  file: string;
  directory: string;
  /** Absolute path of the object in the app's build; null if the command does not name it. */
  object: string | null;
  /** Language of its device code; null if it has none, in which case it is compiled with the app's own command. */
  language: 'hip' | 'cuda' | null;
  compiler: string;
  /** Arguments for clang if the unit has device code, without output, with its language. */
  args: readonly string[];
  targets: readonly string[];
}

/** Every unit of the compile database. */
export function appUnits(app: App): AppUnit[] {
  const { config } = app;
  const database = compileDatabaseOf(app);
  if (database === undefined || !existsSync(database)) {
    throw new KernloopError(
      'COMPILE_DATABASE_INVALID',
      database === undefined
        ? `${config.name} names no compile database: PGO rebuilds an app by the commands of its build`
        : `${database} does not exist`,
      'build with CMAKE_EXPORT_COMPILE_COMMANDS=ON, and name the file in "compileCommands" of kernloop.json; or watch the build once: `kernloop watch-build`',
    );
  }
  const units = readCompileDatabase(database).map((command) => unitOf(command, config.env));
  requireWhole(units);
  for (const { file, args } of units) requireCodePerUnit(file, args);
  if (units.some(({ language }) => language !== null)) return units;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `${database} compiles neither HIP nor CUDA: PGO is of device code`,
    'name the compile database of the device code in "compileCommands" of kernloop.json',
  );
}

/**
 * If device code is generated only at link time, the plugin is not loaded to place spills: gates would silently do
 * nothing.
 */
function requireCodePerUnit(file: string, args: readonly string[]): void {
  const last = args.findLast((word) => /^-f(no-)?offload-lto(=|$)/.test(word));
  if (last === undefined || last.startsWith('-fno-')) return;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `${file} is compiled with ${last}: its device code is made by the linker, where the plugin does not come`,
    'build the app with -fno-offload-lto; or collect its profile with the plugin and libkernloop-pgo-hip.so (native/pgo/collect/README.md), and judge its kernels one by one: `kernloop pgo-merge --input` and `kernloop pgo-use` in their reproducers',
  );
}

function unitOf(command: CompileCommand, env: Readonly<Record<string, string>>): AppUnit {
  const { file, directory, compiler, args } = command;
  const unit = hipDialect.read(command, env) ?? cudaDialect.read(command, env);
  const output = parseCompileArguments(args).find(({ option }) => option === '-o')?.value ?? null;
  const object = output === null ? null : resolve(directory, output);
  if (unit === null) return { file, directory, object, language: null, compiler, args, targets: [] };
  const kept = unit.args.filter(({ kind }) => kind !== 'drop');
  return {
    ...{ file, directory, object, language: unit.language === 'cuda' ? 'cuda' : 'hip', compiler },
    args: kept.flatMap(renderCompileArgument),
    targets: kept.flatMap(({ kind, value }) => (kind === 'arch' ? (value ?? '').split(',') : [])),
  };
}

/** Refuses device code of several units that nvlink links: clang has no such step of its own. */
function requireWhole(units: readonly AppUnit[]): void {
  const linked = units.find(
    ({ language, args }) => language === 'cuda' && args.some((word) => /^-(rdc=true|dc|dw)$/.test(word)),
  );
  if (linked === undefined) return;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `${linked.file} is compiled to relocatable device code (-rdc=true), which PGO does not link again`,
    'take the kernels one by one: `kernloop pgo-use` in their reproducers',
  );
}

/** Architecture that CUDA units are compiled for: a profile has one, the newest that the build names. */
export function cudaArchitecture(units: readonly AppUnit[]): string {
  const words = units.filter(({ language }) => language === 'cuda').flatMap(({ args }) => args);
  const named = words.flatMap((word) =>
    /^--?(arch|gpu-architecture|gencode|generate-code|code|gpu-code|cuda-gpu-arch|offload-arch)\b/.test(word)
      ? (word.match(/sm_\d+[af]?/g) ?? [])
      : [],
  );
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0]);
  const [newest] = [...new Set(named)].sort((a, b) => number(b) - number(a) || b.localeCompare(a));
  if (newest !== undefined) return newest;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    'the build names no architecture of CUDA (sm_90): PGO has to know what to compile for',
    'set CMAKE_CUDA_ARCHITECTURES, or -arch of nvcc, and build again',
  );
}

/**
 * Link arguments of the app's build beside the objects, from the file that CMake left
 * (`CMakeFiles/<target>.dir/link.txt`): a compile database does not describe linking. Null if there is no such file.
 */
export function linkWords(program: string, units: readonly AppUnit[]): string[] | null {
  const folders = [...new Set(units.map(({ directory }) => directory))];
  for (const folder of folders) {
    const found = linkFiles(join(folder, 'CMakeFiles')).find((file) => {
      const words = linkFileWords(file);
      const output = words[words.indexOf('-o') + 1];
      return output !== undefined && resolve(dirname(dirname(dirname(file))), output) === program;
    });
    if (found !== undefined) return linkFileWords(found);
  }
  return null;
}

/** Words of the link file, with response files of CMake expanded. */
function linkFileWords(file: string): string[] {
  const folder = dirname(dirname(dirname(file)));
  return shellWords(readFileSync(file, 'utf8').trim()).flatMap((word) => {
    const response = resolve(folder, word.slice(1));
    return word.startsWith('@') && existsSync(response) ? shellWords(readFileSync(response, 'utf8').trim()) : [word];
  });
}

function linkFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.endsWith('.dir'))
    .map((entry) => join(folder, entry.name, 'link.txt'))
    .filter((file) => existsSync(file));
}

export const objectName = (unit: AppUnit, index: number): string => `${index}-${basename(unit.file)}.o`;
