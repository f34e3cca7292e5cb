import { recordedVariables } from '../toolchain/compiler-environment';
import { shellWords } from '../toolchain/shell-words';
import { isNvcc } from '../toolchain/translation-unit';

interface Command {
  compiler: { name: string };
  arguments: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** What hipcc adds to its own words, for the clang behind it. */
export function clangArguments({ compiler, arguments: args, environment = {} }: Command): string[] {
  if (isNvcc(compiler.name)) throw new Error('only HIP comes here');
  const appended = recordedVariables.flatMap((name) => shellWords(environment[name] ?? ''));
  if (!compiler.name.startsWith('hipcc')) return [...args, ...appended];
  const optimises = args.some((arg) => /^-O/.test(arg));
  return [
    '-std=c++11',
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
 * For every build by a profile: LLVM 22's control height reduction duplicates convergent operations, which each lane of a wave has to reach
 * together (llvm/llvm-project#180882). block_sums of examples/hip-pipeline came out wrong with it, by our plugin and by stock -fprofile-use alike.
 */
export const withoutHeightReduction = (): string[] => mllvm('disable-chr');

/** To the compiler alone: a plain -mllvm goes to the linker too, which knows no option of a plugin. */
export function mllvm(option: string): string[] {
  return ['-Xclang', '-mllvm', '-Xclang', `-${option}`];
}
