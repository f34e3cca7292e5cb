import { recordedVariables } from '../toolchain/compiler-environment';
import { shellWords } from '../toolchain/shell-words';
import type { HipRelease } from './hip-installation';
import { isNvcc } from '../toolchain/translation-unit';

interface Command {
  compiler: { name: string };
  arguments: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** hipcc of 5.2.3 chooses C++11, that of 5.7.1 leaves it to clang. The releases between were not looked at. */
const choosesCxx11 = (hip: HipRelease | null): boolean =>
  hip === null || hip.major < 5 || (hip.major === 5 && hip.minor < 7);

/** Arguments that hipcc passes to clang: the command's own and those it appends. */
export function clangArguments(
  { compiler, arguments: args, environment = {} }: Command,
  hip: HipRelease | null,
): string[] {
  if (isNvcc(compiler.name)) throw new Error('only HIP comes here');
  const appended = recordedVariables.flatMap((name) => shellWords(environment[name] ?? ''));
  if (!compiler.name.startsWith('hipcc')) return [...args, ...appended];
  const optimises = args.some((arg) => /^-O/.test(arg));
  return [
    ...(choosesCxx11(hip) ? ['-std=c++11'] : []),
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

/** Arguments with which the plugin uses a profile, and reports on the code that it gave. */
export const usingProfile = (
  plugin: { readonly path: string },
  { profdata, waves }: { readonly profdata: string; readonly waves: string },
  report: string,
): string[] => [
  `-fpass-plugin=${plugin.path}`,
  ...mllvm('kernloop-pgo=use'),
  ...withoutHeightReduction(),
  ...mllvm(`kernloop-pgo-profile=${profdata}`),
  ...mllvm(`kernloop-pgo-waves=${waves}`),
  ...mllvm(`kernloop-pgo-report=${report}`),
];
