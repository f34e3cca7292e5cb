import { readCapturedCode } from '../archive/captured-code';
import type { Deps } from '../deps/deps';
import { macrosOf } from '../reproducer/configuration';
import { reproducerPaths } from '../reproducer/layout';
import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';
import { compileReproducer, type CompileResult } from '../toolchain/compile';
import type { PtxAssembly } from '../toolchain/compile-request';
import { describeCode, type Described } from '../toolchain/described-code';
import type { Llvm } from '../toolchain/find-llvm';
import { withMacros } from '../toolchain/macros';
import { overlaySchema } from '../toolchain/overlay';
import { recipeSchema, type Recipe } from '../toolchain/recipe';
import { processorOf } from '../toolchain/target';
import { clangArguments } from './clang-arguments';
import { cudaArguments } from './cuda-arguments';
import { findCuda } from './cuda-installation';
import { capturedNames } from './cuda-names';
import { hipArguments } from './hip-arguments';
import { installedHip } from './hip-installation';
import { requirePgoLanguage, requirePgoRecipe } from './supported';

/** Compiles a reproducer's source once with clang of LLVM 22, for the architecture of the capture. */
export interface PgoCompilation {
  /** Absolute path. */
  output: string;
  /** Options that load and configure the plugin; empty for the plain compiler. */
  options: readonly string[];
  limitSeconds: number;
}

export class PgoCompiler {
  private constructor(
    private readonly reproducer: Reproducer,
    readonly recipe: Recipe,
    private readonly llvm: Llvm,
    private readonly captured: Described | null,
    private readonly deps: Deps,
  ) {}

  static async open(reproducer: Reproducer, llvm: Llvm, deps: Deps): Promise<PgoCompiler> {
    const recipe = readRecipe(reproducer);
    const captured = await readCapturedCode(reproducer.capture, deps);
    const described = typeof captured === 'string' ? null : await describeCode(captured, deps);
    return new PgoCompiler(reproducer, recipe, llvm, described, deps);
  }

  compile({ output, options, limitSeconds }: PgoCompilation): Promise<CompileResult> {
    const { recipe, llvm, reproducer, deps } = this;
    const { words, assembly } = recipe.language === 'cuda' ? this.cuda() : this.hip();
    const paths = reproducerPaths(reproducer.root);
    const overlay = readJson(paths.overlayTemplate, overlaySchema, 'SOURCE_NOT_FOUND', bringBack);
    return compileReproducer(
      {
        reproducer: reproducer.root,
        recipe: {
          ...withoutOneEntry(recipe),
          environment: {},
          compiler: { name: 'clang++', version: llvm.version },
          arguments: [...words, ...options],
        },
        ...(assembly === undefined ? {} : { assembly }),
        overlay,
        compiler: { path: llvm.clang, version: llvm.version },
        output,
        signature: recipe.signature,
        limitSeconds,
        lineInfo: true,
      },
      deps,
    );
  }

  private hip(): Translated {
    const { recipe, captured, deps } = this;
    const target = { target: recipe.target, codeObjectVersion: codeObjectVersion(captured) };
    return { words: hipArguments(clangArguments(recipe, installedHip(deps.env)), target, deps.env) };
  }

  private cuda(): Translated {
    const { recipe, captured, deps } = this;
    const { clang, ptxas } = cudaArguments(recipe, deps.env);
    const edit = capturedNames(captured, recipe.symbol);
    return { words: clang, assembly: { program: findCuda(deps.env).ptxas, arguments: ptxas, edit } };
  }
}

/** `one_entry` was proven with the app's compiler, not with this compiler and its plugin. */
function withoutOneEntry({ one_entry: _, ...recipe }: Recipe): Recipe {
  return recipe;
}

interface Translated {
  words: readonly string[];
  assembly?: PtxAssembly;
}

/** Architecture of a profile: the one that the compiler targets, even if ptxas assembles for another. */
export const profiledArchitecture = ({ language, target, virtual_target: virtual }: Recipe): string =>
  language === 'cuda' ? (virtual?.replace('compute_', 'sm_') ?? target) : processorOf(target);

const bringBack = 'bring pristine/ back from version control, or run `kernloop generate` in the app';

export function readRecipe(reproducer: Reproducer): Recipe {
  requirePgoLanguage(reproducer);
  const { recipe: path } = reproducerPaths(reproducer.root);
  const recipe = readJson(path, recipeSchema, 'SOURCE_NOT_FOUND', bringBack, reproducer.files);
  requirePgoRecipe(reproducer, recipe);
  return withMacros(recipe, macrosOf(reproducer.config.configuration));
}

/**
 * Version of metadata and hidden arguments (EI_ABIVERSION of the AMDGPU ABI), which must match because a replay passes
 * those of the captured code.
 */
function codeObjectVersion(code: Described | null): number | null {
  if (code?.amd === undefined) return null;
  const { version } = code.amd;
  if (version >= 3 && version <= 6) return version;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `the captured code object is of version ${version}, which clang 22 does not write`,
    'replay and validate work with it; PGO needs one of version 4 to 6',
  );
}
