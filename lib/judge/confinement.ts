import type { Deps } from '../deps/deps';
import { inSandbox } from '../sandbox/sandbox';
import { sandboxSupport } from '../sandbox/support';
import { toolchainFolders } from '../sandbox/toolchain-folders';
import { reproducerPaths } from '../reproducer/layout';
import type { Confine } from './judge-candidate';
import type { JudgeSettings } from './options';
import type { Subject } from './subject';

/** Bytes that a compilation may write into one file, and in all: code objects and compilers' temporary files. */
const fileBytes = 2 ** 30;
const folderBytes = 2 * fileBytes;

/**
 * Sandbox in which candidates are compiled: they read their own folder and the toolchain, and write their build/. Null
 * for none, which only `--unsandboxed` allows.
 */
export async function confinement(
  { unsandboxed }: Pick<JudgeSettings, 'unsandboxed'>,
  deps: Deps,
): Promise<Confine | null> {
  if (unsandboxed) return null;
  await sandboxSupport(deps);
  const toolchains = new Map<Subject, string[]>();
  return (own, folder, subject, { compile_seconds: compileSeconds, memory_bytes: memoryBytes }, beside = []) => {
    const known = toolchains.get(subject) ?? toolchainOf(subject, deps);
    toolchains.set(subject, known);
    return inSandbox(own, {
      read: [folder, ...known, ...beside],
      write: [reproducerPaths(folder).build],
      limits: {
        ...{ memoryBytes, fileBytes, folderBytes },
        // Each process of a compilation has one thread that works, so the limit in seconds comes first.
        cpuSeconds: Math.ceil(compileSeconds) + 1,
      },
    });
  };
}

/** NVRTC is a library, which a program of Kernloop loads. */
const toolchainOf = ({ compiler, recipe }: Subject, { native, env }: Deps): string[] => [
  ...toolchainFolders([compiler.path], env),
  ...(recipe.nvrtc === undefined ? [] : [native.nvrtcCompiler]),
];
