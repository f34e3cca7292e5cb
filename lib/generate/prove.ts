import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CaptureJson } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { compileReproducer, type CompileResult } from '../toolchain/compile';
import { isSameWhenLoaded } from '../toolchain/compared-code';
import { describeCode, type Described } from '../toolchain/described-code';
import type { Compiler } from '../toolchain/find-compiler';
import { dialectFor } from '../toolchain/dialects';
import { lostVariable } from '../toolchain/hsaco-variables';
import { overlayTemplate } from '../toolchain/overlay';
import { isCaptured, type Recipe, type UnprovenRecipe } from '../toolchain/recipe';
import type { Captured } from './captured';
import type { PristineRequest, WrittenSource } from './request';

export interface Proof extends Pick<CompileResult, 'sources' | 'outside' | 'launch'> {
  codeObject: Recipe['code_object'];
  /** Number of kernels in the code object. */
  kernels: number;
  /** Reason why the kernel could not be compiled alone, if the recipe asks for that. */
  whole?: string;
  /** A variable that the captured code has and this code lacks. */
  lost: string | null;
}

/** Compiles the sources in the scratch folder and compares the result with the captured code. */
export async function prove(
  recipe: UnprovenRecipe,
  compiler: Compiler,
  captured: Captured,
  { capture, captureFolder, folder, compileLimitSeconds, units }: PristineRequest,
  deps: Deps,
): Promise<Proof> {
  const proof = join(folder, 'proof.bin');
  const { codeObjectSha256, sources, outside, launch, whole } = await compileReproducer(
    {
      reproducer: folder,
      recipe,
      overlay: overlayTemplate(recipe),
      compiler,
      output: proof,
      // Takes any signature: if it was edited since the capture, recompile reports that to the user.
      signature: null,
      limitSeconds: compileLimitSeconds,
      capture: captureFolder,
      units,
    },
    deps,
  );
  const compiled = readFileSync(proof);
  rmSync(proof);
  const described = await describeCode(compiled, deps);
  const kernels = described?.kernels.length ?? 0;
  const lost = captured.code === null ? null : await lostVariable(captured.code, compiled, deps);
  const isEquivalent =
    codeObjectSha256 !== capture.kernel.code_object &&
    captured.code !== null &&
    isSame(recipe, capture, described, await describeCode(captured.code, deps));
  const codeObject = {
    captured: capture.kernel.code_object,
    recompiled: codeObjectSha256,
    ...(isEquivalent ? { same_machine_code: true as const } : {}),
  };
  return {
    ...{ codeObject, kernels, sources, outside, lost },
    ...(launch === undefined ? {} : { launch }),
    ...(whole === undefined ? {} : { whole }),
  };
}

/** Line tables of Triton's code contain the app's paths, so they are not compared. */
function isSame(
  recipe: UnprovenRecipe,
  { device, kernel }: CaptureJson,
  one: Described | null,
  other: Described | null,
): boolean {
  if (recipe.triton !== undefined && device.kind !== 'cuda') return isSameWhenLoaded(one, other);
  return dialectFor(device.kind).isSameMachineCode(kernel.symbol, one, other);
}

export function isIdentical({ recipe }: WrittenSource): boolean {
  return recipe.code_object.recompiled === recipe.code_object.captured;
}

export function isSameCode({ recipe }: WrittenSource): boolean {
  return isCaptured(recipe.code_object);
}
