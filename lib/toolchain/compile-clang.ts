import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseMakeDependencies } from './make-dependencies';
import { writeJson } from '../support/files';
import type { CompileRequest } from './compile-request';
import { compilerEnvironment } from './compiler-environment';
import { dialects } from './dialects';
import { renderOverlay } from './overlay';
import { depsPlaceholder } from './recipe';
import { runCompiler, type CompileDeps } from './run-compiler';

/** Compiles through the overlay, which clang and so hipcc understand; returns every file that was opened. */
export async function compileWithClang(request: CompileRequest, output: string, deps: CompileDeps): Promise<string[]> {
  const { compiler, recipe, reproducer, limitSeconds } = request;
  const overlayPath = `${output}.overlay.json`;
  const dependencyPath = `${output}.d`;
  try {
    writeJson(overlayPath, renderOverlay(request.overlay, reproducer));
    await runCompiler(
      {
        program: compiler.path,
        args: compileArguments(request, { output, overlayPath, dependencyPath }),
        cwd: reproducer,
        env: compilerEnvironment(recipe.environment),
        limitSeconds,
        variantFile: recipe.variant.file,
      },
      deps,
    );
    if (!existsSync(dependencyPath)) return [];
    const spelled = parseMakeDependencies(readFileSync(dependencyPath, 'utf8'));
    return spelled.map((path) => resolve(reproducer, path));
  } finally {
    for (const path of [overlayPath, dependencyPath]) rmSync(path, { force: true });
  }
}

interface Paths {
  output: string;
  overlayPath: string;
  dependencyPath: string;
}

function compileArguments(
  { recipe, reproducer }: CompileRequest,
  { output, overlayPath, dependencyPath }: Paths,
): string[] {
  const folder = join(reproducer, 'deps');
  return [
    ...recipe.arguments.map((arg) => arg.split(depsPlaceholder).join(folder)),
    `--offload-arch=${recipe.target}`,
    '--cuda-device-only',
    ...dialects[recipe.language].clangOptions,
    '-c',
    // A header that a user puts beside kernel_variant.* is found; the project's own come first.
    ...['-iquote', reproducer],
    // __FILE__ and debug information then do not depend on where the reproducer lies.
    `-ffile-prefix-map=${reproducer}=.`,
    ...['-ivfsoverlay', overlayPath],
    ...['-MD', '-MF', dependencyPath, '-MT', 'variant'],
    ...['-o', output, join(folder, recipe.main)],
  ];
}
