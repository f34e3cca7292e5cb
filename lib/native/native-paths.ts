import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { KernloopError } from '../support/error';
import { installedNatives, nativeRemedy, thisMachine, type NativeSearch } from './native-package';
import core from './core-products.json';
import products from './native-products.json';

/**
 * Products of the native build that users need, relative to it. Packages (tools/package.mjs) and the hashes of Nx use
 * the same list.
 */
export type NativeProduct = keyof typeof products;
export const nativeProducts = Object.keys(products) as NativeProduct[];
/** Products that capture, replay and the software GPU need: every build has them. */
export const coreProducts = nativeProducts.filter((name) => core.includes(name));
/** A build may lack these; a checkout builds them when a stage first asks (lib/deps/built-native.ts). */
export const restProducts = nativeProducts.filter((name) => !core.includes(name));

/** Products of the native build (docs/contributing/seams.md, "Native build"). */
export interface NativePaths extends Readonly<Record<NativeProduct, string>> {
  readonly root: string;
  /** Agent for the cuda device; other devices do not need it. */
  readonly agentCuda: string;
  /** Records programs that an app compiles at run time. */
  readonly nvrtcAudit: string;
  /** Compiles with libnvrtc. */
  readonly nvrtcCompiler: string;
  /** Converts, merges and shows profiles of device code. */
  readonly pgo: string;
  /** Collects profiles inside of an instrumented HIP program. */
  readonly pgoHip: string;
  /** The same for CUDA. */
  readonly pgoCuda: string;
  /** Chooses the code of kernels that an app compiles at run time. */
  readonly pgoRuntime: string;
  /** Chooses their code in front of NVRTC and the CUDA driver. */
  readonly pgoRuntimeCuda: string;
  /** Compiles kernels for pgoRuntime and keeps their cache. */
  readonly pgoRuntimeBuilder: string;
  /** Records the compilers that a build starts; loaded with LD_PRELOAD. */
  readonly watch: string;
  /** Runs a program that sees only the files it is told to read. */
  readonly sandbox: string;
  /** Folder of the libraries below, for LD_LIBRARY_PATH. */
  readonly softgpuDir: string;
  readonly softgpu: string;
  /** Preloaded in front of HIP; reports to the app that a dispatch faulted. */
  readonly hipErrors: string;
}

export function nativePathsIn(root: string): NativePaths {
  const paths = Object.fromEntries(nativeProducts.map((name) => [name, join(root, products[name])]));
  const named = paths as Record<NativeProduct, string>;
  return { ...named, root, softgpuDir: dirname(named.softgpu) };
}

/** Core products that do not exist. */
export function missingProducts(paths: NativePaths): string[] {
  return coreProducts.map((name) => paths[name]).filter((path) => !existsSync(path));
}

/**
 * KERNLOOP_NATIVE_DIR if set; else, in a checkout, `native/build`; else the package `@kernloop/native-<platform>` that npm installed
 * beside kernloop.
 */
export function findNative(
  env: Readonly<Record<string, string | undefined>>,
  search: NativeSearch = thisMachine(),
): NativePaths {
  const named = env['KERNLOOP_NATIVE_DIR'];
  if (named) {
    return complete(
      resolve(named),
      () => `point KERNLOOP_NATIVE_DIR at a complete native build, or unset it: ${nativeRemedy(search)}`,
    );
  }
  const build = join(search.root, 'native', 'build');
  if (existsSync(join(build, 'bin'))) return complete(build, () => 'run `npm run build:native` in the checkout');
  return complete(installedNatives(search), () => nativeRemedy(search));
}

/** `hint` is called only if something is missing: it takes as long as all the rest together. */
function complete(root: string, hint: () => string): NativePaths {
  const missing = missingProducts(nativePathsIn(root));
  if (missing.length === 0) return nativePathsIn(root);
  throw new KernloopError(
    'ENVIRONMENT_NATIVE_MISSING',
    `the native programs in ${root} are not complete: ${missing.join(', ')} not found`,
    hint(),
  );
}
