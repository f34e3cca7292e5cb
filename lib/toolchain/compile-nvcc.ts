import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseMakeDependencies } from './make-dependencies';
import type { CompileRequest } from './compile-request';
import { renderCompileArgument } from './compile-arguments';
import { nvccEnvironment } from './compiler-environment';
import { findHostCompiler } from './find-compiler';
import { LinkTree } from './link-tree';
import { replaceModuleIds } from './module-id';
import { assemblerArguments, frontEndArguments, isRelocatable, parseNvccArguments } from './nvcc-arguments';
import { mapDebugStrings } from './ptx-debug';
import { depsPlaceholder } from './recipe';
import { writeFileAtomic } from '../support/files';
import { runCompiler, type CompileDeps } from './run-compiler';

/**
 * Names in the link tree, which is the working directory, so that the code depends on no path of the machine. With -G
 * ptxas stores even the name of its output in the code.
 */
const files = {
  ptx: '.kernloop.ptx',
  dependencies: '.kernloop.d',
  object: '.kernloop.o.cubin',
  cubin: '.kernloop.cubin',
};

/** Replaces the random suffix of mkdtemp. */
const randomEnd = 'XXXXXX';

const frontEnd = [
  // -ptx runs the assembler as a check for no real architecture, and so warns about a -maxrregcount that suits the
  // target.
  '-Xptxas=-w',
  // Finds headers that a user puts beside kernel_variant.*; the project's own come first.
  '-Xcompiler=-iquote,.',
  // Lists the device pass only: nvcc's own -MD adds files that only host code includes.
  `-Xcompiler=-MD,-MF,${files.dependencies},-MT,variant`,
];

/**
 * Compiles with nvcc, which has no overlays: in a tree of links, to PTX, then to a cubin, and through the device linker
 * if the app's code is relocatable. Restores the module id of the captured names on the way. Returns every file that
 * was opened.
 */
export async function compileWithNvcc(request: CompileRequest, output: string, deps: CompileDeps): Promise<string[]> {
  const { recipe } = request;
  const tree = new LinkTree(request.reproducer, request.overlay, request.scratch);
  try {
    const { args } = parseNvccArguments(recipe.arguments.map((arg) => arg.split(depsPlaceholder).join('deps')));
    for (const folder of recipe.folders ?? []) tree.makeFolder(posix.join('deps', folder));
    for (const { kind, value } of args) {
      if (kind === 'include' && value?.startsWith('deps')) tree.makeFolder(value);
    }
    const run = (step: readonly string[]): Promise<void> => runNvcc(request, tree, step, deps);
    const target = targetArguments(request, deps);
    const assembler = [...target, ...assemblerArguments(args).flatMap(renderCompileArgument)];
    const ptx = join(tree.root, files.ptx);
    const main = posix.join('deps', recipe.main);
    const fromSources = async (): Promise<string> => {
      const options = frontEndArguments(args).flatMap(renderCompileArgument);
      await run([...options, ...frontEnd, ...target, '-ptx', '-o', files.ptx, main]);
      return locationFree(readFileSync(ptx, 'utf8'), request, tree);
    };
    const compiled = request.keptPtx ?? (await fromSources());
    writeFileSync(ptx, request.mapPtx ? request.mapPtx(compiled) : compiled);
    if (isRelocatable(args)) {
      await run([...assembler, '-cubin', '-o', files.object, files.ptx]);
      await run([...target, '-dlink', '-cubin', '-o', files.cubin, files.object]);
    } else {
      const alone = recipe.one_entry === true ? [`--entries=${recipe.symbol}`] : [];
      await run([...assembler, ...alone, '-cubin', '-o', files.cubin, files.ptx]);
    }
    copyFileSync(join(tree.root, files.cubin), output);
    if (request.keepPtx !== undefined) writeFileAtomic(request.keepPtx, compiled);
    const dependencies = join(tree.root, files.dependencies);
    if (!existsSync(dependencies)) return [];
    return parseMakeDependencies(readFileSync(dependencies, 'utf8')).map((path) => tree.origin(path));
  } finally {
    tree.remove();
  }
}

function runNvcc(
  { compiler, recipe, limitSeconds }: CompileRequest,
  tree: LinkTree,
  args: readonly string[],
  deps: CompileDeps,
): Promise<void> {
  return runCompiler(
    {
      ...{ program: compiler.path, args, cwd: tree.root, limitSeconds },
      env: { ...recipe.environment, ...nvccEnvironment() },
      variantFile: recipe.variant.file,
      describe: (text) => tree.describe(text),
    },
    deps,
  );
}

function targetArguments({ recipe }: CompileRequest, deps: CompileDeps): string[] {
  const virtual = recipe.virtual_target ?? recipe.target.replace('sm_', 'compute_');
  const host = recipe.host_compiler == null ? null : findHostCompiler(recipe.host_compiler, deps);
  return [`-gencode=arch=${virtual},code=${recipe.target}`, ...(host === null ? [] : [`-ccbin=${host}`])];
}

/** PTX with the module id of the captured code, and with line information that names no folder of this machine. */
function locationFree(ptx: string, { recipe, reproducer }: CompileRequest, tree: LinkTree): string {
  const { module_id: id } = recipe;
  const rename = (text: string): string => (id === undefined ? text : replaceModuleIds(text, id));
  // Replaces only the random suffix, which keeps the length: offsets point past the string.
  const folder = tree.root.slice(0, -randomEnd.length) + randomEnd;
  const named = mapDebugStrings(rename(ptx), (text) => rename(text).replaceAll(tree.root, folder));
  return named.replaceAll(/^(\s*\.file\s+\d+\s+")([^"]*)/gm, (_line, start: string, path: string) => {
    const inside = [tree.root, reproducer].find((folder) => path.startsWith(`${folder}/`));
    // Absolute, because ptxas prepends its working directory to a relative path.
    return start + (inside === undefined ? path : `/kernloop/${tree.describe(path.slice(inside.length + 1))}`);
  });
}
