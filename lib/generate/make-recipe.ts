import { basename, extname, isAbsolute, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import type { SourceTree } from './source-tree';
import type { TranslationUnit } from '../toolchain/translation-unit';
import { renderCompileArgument, type CompileArgument } from '../toolchain/compile-arguments';
import { recordedVariables } from '../toolchain/compiler-environment';
import { depsPlaceholder, noDatabaseNote, rdcNote, type Recipe, type UnprovenRecipe } from '../toolchain/recipe';

export interface RecipeSource {
  unit: TranslationUnit;
  tree: SourceTree;
  /** Absolute path of the file that becomes kernel_variant.*. */
  kernelFile: string;
  target: string;
  /** Only for nvcc. */
  cuda?: { virtualTarget: string; moduleId: string | null };
  /** Only for HIP: value of `-cuid=`, unless the app's command sets one. */
  unitId?: string | null;
  compilerVersion: string;
  /** Environment of the app's build. */
  environment: Readonly<Record<string, string>>;
  symbol: string;
  signature: Recipe['signature'];
  notes?: readonly string[];
}

/** Options for optimisation across all device code of a program. */
const linkTimeOptions = ['-dlto', '-lto', '-gen-opt-lto'];

/** The app's own compile command for a unit, reduced to device code and without paths outside the reproducer. */
export function makeRecipe(source: RecipeSource): UnprovenRecipe {
  const { unit, tree, target, environment, cuda } = source;
  const notes = [...(source.notes ?? [])];
  const args = unit.args.flatMap((argument) => carryArgument(argument, unit, tree, notes));
  const standsFor = placeOf(source.kernelFile, tree);
  if (!unit.fromDatabase) {
    const missing = `${noDatabaseNote} (\`compileCommands\` of kernloop.json)`;
    notes.push(`${missing}: compiled with the defaults of ${unit.compiler}`);
  }
  return {
    schema: 'kernloop.recipe/1',
    language: unit.language,
    symbol: source.symbol,
    compiler: { name: unit.compiler, version: source.compilerVersion },
    environment: Object.fromEntries(Object.entries(environment).filter(([name]) => recordedVariables.includes(name))),
    target,
    ...(cuda === undefined ? {} : { virtual_target: cuda.virtualTarget }),
    ...(cuda?.moduleId == null ? {} : { module_id: cuda.moduleId }),
    ...(unit.hostCompiler === null ? {} : { host_compiler: basename(unit.hostCompiler) }),
    arguments:
      source.unitId == null || args.some((word) => word.startsWith('-cuid='))
        ? args
        : [...args, `-cuid=${source.unitId}`],
    main: placeOf(unit.file, tree),
    variant: { file: `kernel_variant${extname(source.kernelFile)}`, stands_for: standsFor },
    signature: source.signature,
    aliases: Object.fromEntries(Object.entries(tree.aliases).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(cuda !== undefined && tree.folders.length > 0 ? { folders: tree.folders } : {}),
    notes: [...new Set(notes)],
  };
}

function placeOf(path: string, tree: SourceTree): string {
  const place = tree.pathInDeps(path);
  if (place === null) throw new Error(`${path} was not carried`);
  return place;
}

function carryArgument(argument: CompileArgument, unit: TranslationUnit, tree: SourceTree, notes: string[]): string[] {
  const { option, value, kind } = argument;
  switch (kind) {
    case 'arch':
    case 'input':
      return [];
    case 'drop':
      if (option === '-fgpu-rdc') {
        notes.push(`${rdcNote}: the unit is linked alone, so device functions of other units are not found`);
      }
      if (linkTimeOptions.includes(option)) {
        notes.push(
          `${option} left out: one unit is compiled for itself, so its code differs from that of the linked program`,
        );
      }
      return [];
    case 'include':
      return carryFolder(argument, resolve(unit.directory, value ?? ''), tree, notes);
    case 'file':
      return carryFile(argument, unit.directory, tree);
    default: {
      const rendered = renderCompileArgument(argument);
      const carried = rendered.map((word) => tree.withoutAbsolutePaths(word, depsPlaceholder));
      if (carried.some((word) => word.includes('/workspace'))) {
        notes.push(`${carried.join(' ')}: names a path of the workspace that is not part of the reproducer`);
      }
      return carried;
    }
  }
}

function carryFolder(argument: CompileArgument, path: string, tree: SourceTree, notes: string[]): string[] {
  const place = tree.pathInDeps(path);
  if (place !== null) return renderCompileArgument({ ...argument, value: join(depsPlaceholder, place) });
  if (tree.isSystem(path)) return renderCompileArgument({ ...argument, value: path });
  notes.push(`${argument.option}: a folder outside the workspace left out, nothing is included from it`);
  return [];
}

/** A file given to `-include` is searched in the working directory first, then like any quoted include. */
function carryFile(argument: CompileArgument, directory: string, tree: SourceTree): string[] {
  const path = resolve(directory, argument.value ?? '');
  const place = existsSync(path) ? tree.pathInDeps(path) : null;
  if (place !== null) return renderCompileArgument({ ...argument, value: join(depsPlaceholder, place) });
  const value = isAbsolute(argument.value ?? '') || existsSync(path) ? path : (argument.value ?? '');
  return renderCompileArgument({ ...argument, value });
}
