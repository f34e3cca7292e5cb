import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { compileWithClang } from './compile-clang';
import type { CompileRequest, PtxAssembly } from './compile-request';
import { compilerEnvironment } from './compiler-environment';
import { runCompiler, type CompileDeps } from './run-compiler';

/** Compiles to PTX and assembles it separately, to correct names in between. Returns every file that was opened. */
export async function compileThroughPtx(
  request: CompileRequest,
  { program, arguments: args, edit }: PtxAssembly,
  output: string,
  deps: CompileDeps,
): Promise<string[]> {
  const { recipe, limitSeconds } = request;
  const ptx = `${output}.ptx`;
  // Architecture that the source sees; the code is for the target.
  const seen = recipe.virtual_target?.replace('compute_', 'sm_') ?? recipe.target;
  try {
    const asText = { ...request, recipe: { ...recipe, target: seen, arguments: [...recipe.arguments, '-S'] } };
    const opened = await compileWithClang(asText, ptx, deps);
    writeFileSync(ptx, edit(readFileSync(ptx, 'utf8')));
    await runCompiler(
      {
        program,
        args: [
          '-m64',
          `-arch=${recipe.target}`,
          ...args,
          ...(request.lineInfo ? ['-lineinfo'] : []),
          '-o',
          output,
          ptx,
        ],
        cwd: dirname(output),
        env: compilerEnvironment(),
        limitSeconds,
        variantFile: recipe.variant.file,
      },
      deps,
    );
    return opened;
  } finally {
    rmSync(ptx, { force: true });
  }
}
