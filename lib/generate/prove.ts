import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { compileReproducer, type CompileResult } from '../toolchain/compile';
import type { Compiler } from '../toolchain/find-compiler';
import { dialectFor } from '../toolchain/dialects';
import { overlayTemplate } from '../toolchain/overlay';
import type { Recipe, UnprovenRecipe } from '../toolchain/recipe';
import type { Captured } from './captured';
import type { PristineRequest, WrittenSource } from './request';

/** Compiles what lies in the scratch folder, and compares it with the captured code. */
export async function prove(
  recipe: UnprovenRecipe,
  compiler: Compiler,
  captured: Captured,
  { capture, folder, compileLimitSeconds }: PristineRequest,
  deps: Deps,
): Promise<{ codeObject: Recipe['code_object'] } & Pick<CompileResult, 'sources' | 'outside'>> {
  const proof = join(folder, 'proof.bin');
  const { codeObjectSha256, sources, outside } = await compileReproducer(
    {
      reproducer: folder,
      recipe,
      overlay: overlayTemplate(recipe),
      compiler,
      output: proof,
      // An edit of the signature since the capture is for the user to see when recompiling.
      signature: null,
      limitSeconds: compileLimitSeconds,
    },
    deps,
  );
  const isSame =
    codeObjectSha256 !== capture.kernel.code_object &&
    captured.code !== null &&
    dialectFor(capture.device.kind).isSameMachineCode(capture.kernel.symbol, readFileSync(proof), captured.code);
  rmSync(proof);
  const codeObject = {
    captured: capture.kernel.code_object,
    recompiled: codeObjectSha256,
    ...(isSame ? { same_machine_code: true as const } : {}),
  };
  return { codeObject, sources, outside };
}

export function isIdentical({ recipe }: WrittenSource): boolean {
  return recipe.code_object.recompiled === recipe.code_object.captured;
}

export function isSameCode(found: WrittenSource): boolean {
  return isIdentical(found) || found.recipe.code_object.same_machine_code === true;
}
