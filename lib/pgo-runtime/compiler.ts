import { join } from 'node:path';
import type { App } from '../app/app';
import type { Deps } from '../deps/deps';
import { mllvm, withoutHeightReduction } from '../pgo/clang-arguments';
import { cudaArguments } from '../pgo/cuda-arguments';
import { hipArguments } from '../pgo/hip-arguments';
import { pgoToolchainIdentity } from '../pgo/identity';
import { ensurePlugin } from '../pgo/plugin';
import { KernloopError } from '../support/error';
import { sha256 } from '../support/files';
import { findLlvm } from '../toolchain/find-llvm';
import type { PgoRuntimeOptions } from './options';

/** Compiler settings for the builder; without a compiler only the cache is used. */
export interface RuntimeCompiler {
  clang: string;
  profdata: string;
  arguments: string[];
  generate: string[];
  use: string[];
  conditions: string;
}

const none: RuntimeCompiler = { clang: '', profdata: '', arguments: [], generate: [], use: [], conditions: 'none' };

/**
 * clang 22 in place of HIPRTC or NVRTC: headers are found as in any other unit, and optimisation and language are the
 * replaced compiler's.
 */
export async function runtimeCompiler(
  app: App,
  { gate }: Pick<PgoRuntimeOptions, 'gate'>,
  isCuda: boolean,
  deps: Deps,
): Promise<RuntimeCompiler> {
  try {
    const llvm = await findLlvm(deps);
    const args = isCuda ? cudaWords(deps) : hipWords(deps);
    const plugin = await ensurePlugin(app.workspaceRoot, llvm, deps);
    const load = `-fpass-plugin=${plugin.path}`;
    const generate = [load, ...mllvm('kernloop-pgo=generate'), ...mllvm('kernloop-pgo-sample=all')];
    const use = [load, ...mllvm('kernloop-pgo=use'), ...withoutHeightReduction()];
    // Paths do not affect the code.
    const portable = args.filter((word) => !word.startsWith('/') && !/^--?[a-z-]*(path|isystem)/.test(word));
    const known = [pgoToolchainIdentity(deps.env), plugin.sha256, portable, gate];
    return {
      ...{ clang: llvm.clang, profdata: llvm.profdata, arguments: args, generate, use },
      conditions: sha256(JSON.stringify(known)),
    };
  } catch (error) {
    if (!(error instanceof KernloopError) || !error.code.startsWith('ENVIRONMENT_')) throw error;
    deps.report.warn(
      `${error.what}: only what is in ${join(app.root, '.kernloop', 'pgo', 'runtime')} is used (${error.hint})`,
    );
    return none;
  }
}

const inCommon = ['--cuda-device-only', '--no-gpu-bundle-output', '-O3', '-std=c++17'];

const hipWords = ({ env }: Pick<Deps, 'env'>): string[] =>
  hipArguments(['-x', 'hip', ...inCommon], { target: null, codeObjectVersion: null }, env);

const cudaWords = ({ env }: Pick<Deps, 'env'>): string[] =>
  cudaArguments({ compiler: { name: 'clang++' }, arguments: ['-x', 'cuda', ...inCommon] }, env).clang;
