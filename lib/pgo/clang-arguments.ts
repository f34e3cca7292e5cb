import { recordedVariables } from '../toolchain/compiler-environment';
import { shellWords } from '../toolchain/shell-words';
import { isNvcc } from '../toolchain/translation-unit';

interface Command {
  compiler: { name: string };
  arguments: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/**
 * Arguments that hipcc passes to clang: the command's own and those it appends. `hipMajor`: release of HIP; hipcc chooses
 * C++11 up to 5, and leaves it to clang since 6.
 */
export function clangArguments(
  { compiler, arguments: args, environment = {} }: Command,
  hipMajor: number | null,
): string[] {
  if (isNvcc(compiler.name)) throw new Error('only HIP comes here');
  const appended = recordedVariables.flatMap((name) => shellWords(environment[name] ?? ''));
  if (!compiler.name.startsWith('hipcc')) return [...args, ...appended];
  const optimises = args.some((arg) => /^-O/.test(arg));
  return [
    ...(hipMajor === null || hipMajor <= 5 ? ['-std=c++11'] : []),
    ...(optimises ? [] : ['-O3']),
    '-D__HIP_PLATFORM_AMD__=1',
    '-D__HIP_PLATFORM_HCC__=1',
    ...mllvm('amdgpu-early-inline-all=true'),
    ...mllvm('amdgpu-function-calls=false'),
    ...args,
    ...appended,
  ];
}

/**
 * Disables control height reduction in every build with a profile: LLVM 22's duplicates convergent operations, which
 * all lanes of a wave must reach together (llvm/llvm-project#180882). It broke block_sums of examples/hip-pipeline with
 * our plugin and with stock -fprofile-use alike.
 */
export const withoutHeightReduction = (): string[] => mllvm('disable-chr');

/** Passes the option to the compiler only: a plain -mllvm also reaches the linker, which lacks plugin options. */
export function mllvm(option: string): string[] {
  return ['-Xclang', '-mllvm', '-Xclang', `-${option}`];
}
