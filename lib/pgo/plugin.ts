import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { sha256, sha256OfFile } from '../support/files';
import { partialOf } from '../support/leftovers';
import type { Llvm } from '../toolchain/find-llvm';
import { pluginSourceDigest, pluginSourceFiles, pluginSources } from './sources';

export interface Plugin {
  readonly path: string;
  readonly sha256: string;
}

const buildLimitSeconds = 900;

/** Returns the plugin, built once in the workspace for each LLVM and each state of its sources. */
export async function ensurePlugin(workspaceRoot: string, llvm: Llvm, deps: Deps): Promise<Plugin> {
  const name = `kernloop-pgo-pass-${llvm.major}.so`;
  if (pluginSourceFiles().length === 0) {
    throw new KernloopError(
      'ENVIRONMENT_LLVM_MISSING',
      `the sources of the plugin are not in ${pluginSources}`,
      'install kernloop once more',
    );
  }
  const key = sha256(`${llvm.version}\n${sha256OfFile(llvm.clang)}\n${pluginSourceDigest(sha256OfFile)}`).slice(0, 16);
  const folder = join(workspaceRoot, '.kernloop', 'pgo', `pass-${key}`);
  const path = join(folder, name);
  if (!existsSync(path)) await build(folder, name, llvm, deps);
  return { path, sha256: sha256OfFile(path) };
}

/** Builds beside the final folder and renames at the end: tasks that run in parallel may both build it. */
async function build(folder: string, name: string, llvm: Llvm, deps: Deps): Promise<void> {
  deps.report.info(`building the PGO plugin for ${llvm.version} (once in this workspace)`);
  const partial = partialOf(folder);
  const tree = join(partial, 'build');
  try {
    mkdirSync(tree, { recursive: true });
    await cmake(['-S', pluginSources, '-B', tree, ...settings(llvm)], deps);
    await cmake(['--build', tree, '--parallel', '2'], deps);
    const built = fileBelow(tree, name);
    if (built === undefined) throw notBuilt(`the build left no ${name}`);
    renameSync(built, join(partial, name));
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(dirname(folder), { recursive: true });
    try {
      renameSync(partial, folder);
    } catch (error) {
      if (!existsSync(join(folder, name))) throw error;
    }
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Settings that need only clang installed. */
const settings = (llvm: Llvm): string[] => [
  '-DCMAKE_BUILD_TYPE=Release',
  `-DCMAKE_CXX_COMPILER=${llvm.clang}`,
  `-DCMAKE_C_COMPILER=${join(dirname(realpathSync(llvm.clang)), 'clang')}`,
  `-DLLVM_DIR=${llvm.cmake ?? ''}`,
  '-DKERNLOOP_PGO_TESTS=OFF',
];

async function cmake(args: readonly string[], deps: Deps): Promise<void> {
  const ended = await deps.run('cmake', args, { timeoutMs: buildLimitSeconds * 1000 }).result;
  throwIfInterrupted(deps.signal);
  if (ended.exitCode === 0) return;
  if (ended.startError !== null) {
    throw new KernloopError(
      'ENVIRONMENT_TOOL_MISSING',
      'cmake, which builds the PGO plugin, is not installed',
      'sudo apt-get install cmake',
    );
  }
  const said = `${ended.stdoutTail}\n${ended.stderrTail}`;
  const errors = said.split('\n').filter((line) => /\berror\b/i.test(line));
  throw notBuilt(
    errors.slice(0, 3).join('; ') ||
      (ended.timedOut ? `it took longer than ${buildLimitSeconds} s` : said.trim().slice(-400)),
  );
}

function notBuilt(why: string): KernloopError {
  return new KernloopError(
    'PGO_PLUGIN_FAILED',
    `the PGO plugin could not be built: ${why}`,
    'check that llvm-22-dev and clang-22 are of one version (`kernloop doctor`); if they are, report it with the text above',
  );
}

function fileBelow(folder: string, name: string): string | undefined {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find((entry) => entry.name === name);
  return found && join(found.parentPath, found.name);
}
