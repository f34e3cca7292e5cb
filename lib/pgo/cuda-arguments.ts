import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { parseCompileArguments, renderCompileArgument, type CompileArgument } from '../toolchain/compile-arguments';
import { parseNvccArguments } from '../toolchain/nvcc-arguments';
import { isNvcc } from '../toolchain/translation-unit';
import { mllvm } from './clang-arguments';
import { findCuda } from './cuda-installation';
import { cudaHeaders } from './sources';

interface Command {
  compiler: { name: string };
  arguments: readonly string[];
}

export interface CudaArguments {
  /** Arguments for clang. */
  clang: string[];
  /** Arguments for ptxas, which clang would otherwise start itself. */
  ptxas: string[];
}

/** Arguments with which clang 22 compiles what nvcc (or a clang) compiled, against the installed toolkit. */
export function cudaArguments(command: Command, env: Environment): CudaArguments {
  const { root } = findCuda(env);
  const { clang, ptxas } = isNvcc(command.compiler.name) ? ofNvcc(command.arguments) : ofClang(command.arguments);
  const libraries = join(root, 'include', 'cccl');
  return {
    clang: [
      `--cuda-path=${root}`,
      // Accepts toolkits newer than this clang.
      '-Wno-unknown-cuda-version',
      ...clang,
      // nvcc searches this folder by default since CUDA 13.
      ...(existsSync(libraries) ? ['-isystem', libraries] : []),
      // Searched last: stands in for headers of cuRAND, a separate package, that clang includes.
      ...['-idirafter', cudaHeaders],
      // Gives a file-local function the same name in the profile for the app and for a reproducer, whose folders
      // differ.
      ...mllvm('static-func-full-module-prefix=false'),
    ],
    ptxas,
  };
}

/** A clang of the app needs no translation. */
function ofClang(words: readonly string[]): CudaArguments {
  const args = parseCompileArguments(words);
  const isForPtxas = ({ option }: CompileArgument): boolean => option === '-Xcuda-ptxas';
  const kept = args.filter((one) => !isForPtxas(one) && !/^--(cuda-path|ptxas-path)=/.test(one.option));
  const ptxas = args.filter(isForPtxas).flatMap(({ value }) => value ?? []);
  const level = args.filter(({ option }) => /^-O[0-3]$/.test(option)).at(-1)?.option ?? '-O0';
  return { clang: kept.flatMap(renderCompileArgument), ptxas: [level, ...ptxas] };
}

type Translation = (value: string) => { clang?: string[]; ptxas?: string[] };

const nothing: Translation = () => ({});
const unless = (usual: string, ...clang: string[]): Translation => {
  return (value) => (value === usual ? {} : { clang });
};
const flushing = '-fgpu-flush-denormals-to-zero';

/** Translations of nvcc options, named as in recipes. `nothing` marks options for warnings or host code only. */
const translations: Readonly<Record<string, Translation>> = {
  '-D': (value) => ({ clang: [`-D${value}`] }),
  '-U': (value) => ({ clang: [`-U${value}`] }),
  '-std=': (value) => ({ clang: [`-std=${value}`] }),
  '-maxrregcount=': (value) => ({ ptxas: [`-maxrregcount=${value}`] }),
  '-Xptxas=': (value) => ({ ptxas: value.split(',') }),
  '-fmad=': unless('true', '-ffp-contract=off'),
  '-ftz=': unless('false', flushing),
  '-prec-div=': unless('true', ...mllvm('nvptx-prec-divf32=1')),
  '-prec-sqrt=': unless('true', ...mllvm('nvptx-prec-sqrtf32=0')),
  '-use_fast_math': () => ({
    clang: [
      flushing,
      '-fgpu-approx-transcendentals',
      ...mllvm('nvptx-prec-divf32=0'),
      ...mllvm('nvptx-prec-sqrtf32=0'),
    ],
  }),
  '-default-stream=': (value) => ({
    clang: value === 'per-thread' ? ['-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1'] : [],
  }),
  // A unit is compiled whole: a reproducer of relocatable code needs no other unit.
  '-rdc=': nothing,
  ...Object.fromEntries(
    [
      // Device code is compiled at level 3 regardless of -O.
      ...[
        '-O',
        '-g',
        '-lineinfo',
        '-w',
        '-m64',
        '-m',
        '-noeh',
        '-pg',
        '-restrict',
        '-src-in-ptx',
        '-reloc-ptx',
        '-noprof',
      ],
      ...['-expt-relaxed-constexpr', '-extended-lambda', '-expt-extended-lambda', '-extra-device-vectorization'],
      ...['-Xcudafe=', '-Werror=', '-diag-error=', '-diag-suppress=', '-diag-warn=', '-opt-info=', '-brief-diag='],
      ...['-err-no', '-no-err-no', '-Wreorder', '-Wdefault-stream-launch', '-Wmissing-launch-bounds'],
      ...['-Wext-lambda-captures-this', '-Wno-deprecated-declarations', '-Wno-deprecated-gpu-targets'],
      ...['-ftemplate-backtrace-limit=', '-ftemplate-depth=', '-static-global-template-stub=', '-target-dir='],
      ...['-device-entity-has-hidden-visibility=', '-jtd=', '-split-compile=', '-frandom-seed=', '-ldir=', '-Ofc='],
      ...[
        '-dopt=',
        '-allow-unsupported-compiler',
        '-keep-device-functions',
        '-nohdinitlist',
        '-nohdmoveforward',
        '-ewp',
      ],
    ].map((name): [string, Translation] => [name, nothing]),
  ),
};

function ofNvcc(words: readonly string[]): CudaArguments {
  const result: CudaArguments = { clang: ['-O3'], ptxas: ['-O3'] };
  for (const argument of parseNvccArguments(words).args) {
    const { kind, option, value, host } = argument;
    if (kind === 'include' || kind === 'file') result.clang.push(...path(argument));
    else if (kind === 'language') result.clang.push('-x', 'cuda');
    else if (kind === 'keep' && (host !== true || option === '-D' || option === '-U')) {
      const { clang = [], ptxas = [] } = translationOf(option)(value ?? '');
      result.clang.push(...clang);
      result.ptxas.push(...ptxas);
    }
  }
  return result;
}

/** clang has nvcc's options for folders and files, but without the equals sign. */
function path({ option, value, host, separate }: CompileArgument): string[] {
  if (host) return renderCompileArgument({ option, value, kind: 'include', separate });
  return option === '-I' ? [`-I${value ?? ''}`] : [option.replace(/=$/, ''), value ?? ''];
}

function translationOf(option: string): Translation {
  const known = translations[option];
  if (known !== undefined) return known;
  throw new KernloopError(
    'PGO_UNSUPPORTED',
    `the app is compiled with ${option}, which PGO has no words of clang for`,
    option === '-G'
      ? 'code for a debugger is not optimised, with or without a profile: build the app without -G and capture again'
      : 'build the app without it and capture again; replay, validate and recompile work as it is',
  );
}
