import { existsSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { App } from '../../app/app';
import type { Deps } from '../../deps/deps';
import { clangArguments } from '../clang-arguments';
import { hipArguments } from '../hip-arguments';
import { installedHip } from '../hip-installation';
import { compilerEnvironment } from '../../toolchain/compiler-environment';
import { KernloopError } from '../../support/error';
import { throwIfInterrupted } from '../../support/interrupted';
import { sha256OfFile, writeJson } from '../../support/files';
import { replaceFolder } from '../../support/leftovers';
import type { Llvm } from '../../toolchain/find-llvm';
import { runCompiler } from '../../toolchain/run-compiler';
import { parseCompileArguments, renderCompileArgument } from '../../toolchain/compile-arguments';
import { cudaArguments } from '../cuda-arguments';
import { findCuda } from '../cuda-installation';
import { requireLinkedProgram } from './linked-program';
import type { ProgramJson } from './program-json';
import { appUnits, cudaArchitecture, linkWords, objectName, type AppUnit } from './units';

export interface Rebuild {
  /** Folder of the results; its old content is replaced. */
  folder: string;
  /** Absolute path of the program that the app's own build makes. */
  program: string;
  /**
   * Options for the plugin, by number of the unit with device code and the folder for its files: units must not write
   * the same ones.
   */
  options: (unit: number, folder: string) => readonly string[];
  /** More arguments for the linker, if those in the app's build do not suffice. */
  linkArguments: readonly string[];
  limitSeconds: number;
  /** Entries of `build.json` about the plugin. */
  record: Pick<ProgramJson, 'plugin_sha256' | 'profile_sha256' | 'options'>;
}

/** Compiles every unit of the app with clang 22 into a separate folder and links them to a program. */
export async function rebuildApp(
  app: App,
  request: Rebuild,
  llvm: Llvm,
  deps: Deps,
): Promise<{ program: string; sha256: string; units: number }> {
  const units = appUnits(app);
  requireLinkedProgram(app, request.program, linkWords(request.program, units) !== null);
  const architecture = units.some(({ language }) => language === 'cuda') ? cudaArchitecture(units) : null;
  const name = basename(request.program);
  const sha256 = await replaceFolder(request.folder, async (folder) => {
    const objects = units.map((unit, index) => join(folder, objectName(unit, index)));
    await inTurns(units, async (unit, index) => {
      const plugged = request.options(index, folder);
      await compileUnit(app, unit, objects[index] ?? '', architecture, plugged, request.limitSeconds, llvm, deps);
    });
    await link(app, units, objects, join(folder, name), request, llvm, deps);
    for (const object of objects) rmSync(object, { force: true });
    const build: ProgramJson = {
      schema: 'kernloop.pgo-program/1',
      program: name,
      program_sha256: sha256OfFile(join(folder, name)),
      compiler: llvm.version,
      ...request.record,
    };
    writeJson(join(folder, 'build.json'), build);
    return build.program_sha256;
  });
  return { program: join(request.folder, name), sha256, units: units.length };
}

/** Runs a few at a time. */
async function inTurns<T>(all: readonly T[], work: (one: T, index: number) => Promise<void>): Promise<void> {
  const queue = all.entries();
  const worker = async (): Promise<void> => {
    for (const [index, one] of queue) await work(one, index);
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), all.length) }, worker));
}

async function compileUnit(
  app: App,
  unit: AppUnit,
  object: string,
  architecture: string | null,
  options: readonly string[],
  limitSeconds: number,
  llvm: Llvm,
  deps: Deps,
): Promise<void> {
  const args =
    unit.language === null
      ? withoutOutput(unit.args, unit.file)
      : [...deviceArguments(unit, architecture, deps), '-gline-tables-only', ...options];
  await runCompiler(
    {
      program: unit.language === null ? unit.compiler : llvm.clang,
      args: [...args, '-c', '-o', object, unit.file],
      cwd: unit.directory,
      env: { ...app.config.env, ...compilerEnvironment(app.config.env) },
      limitSeconds,
      variantFile: unit.file,
    },
    deps,
  );
}

function deviceArguments(unit: AppUnit, architecture: string | null, { env }: Deps): string[] {
  const command = { compiler: { name: basename(unit.compiler) }, arguments: unit.args };
  if (unit.language === 'hip') {
    // Collectors, and some releases of HIP, cannot read compressed bundles.
    return [
      ...hipArguments(clangArguments(command, installedHip(env)), { target: null, codeObjectVersion: null }, env),
      '--no-offload-compress',
    ];
  }
  const { clang, ptxas } = cudaArguments(command, env);
  const forPtxas = ptxas.filter((word) => !/^-O\d$/.test(word));
  return [...clang, `--offload-arch=${architecture ?? ''}`, ...forPtxas.flatMap((word) => ['-Xcuda-ptxas', word])];
}

function withoutOutput(args: readonly string[], file: string): string[] {
  return parseCompileArguments(args)
    .filter(
      ({ option, kind, value }) =>
        option !== '-o' && option !== '-c' && !(kind === 'input' && value !== null && file.endsWith(basename(value))),
    )
    .flatMap(renderCompileArgument);
}

async function link(
  app: App,
  units: readonly AppUnit[],
  objects: readonly string[],
  output: string,
  { program, linkArguments, limitSeconds }: Rebuild,
  llvm: Llvm,
  deps: Deps,
): Promise<void> {
  const words = linkWords(program, units);
  const said = words === null ? [...objects] : linkedAs(words, units, objects, dirname(program));
  const ended = await deps.run(llvm.clang, [...said, ...linkArguments, ...runtimeOf(units, deps), '-o', output], {
    cwd: dirname(program),
    env: { ...app.config.env, ...compilerEnvironment(app.config.env) },
    timeoutMs: limitSeconds * 1000,
    onStderr: (chunk) => deps.report.output(chunk),
  }).result;
  throwIfInterrupted(deps.signal);
  if (ended.exitCode === 0 && existsSync(output)) return;
  throw new KernloopError(
    'APP_BUILD_FAILED',
    `${app.config.name} did not link with clang 22: ${ended.stderrTail.trim().split('\n').slice(-3).join('; ')}`,
    `name what is missing with --link-argument${words === null ? '; how the app is linked was not found (CMakeFiles/<target>.dir/link.txt beside the compile database)' : ''}`,
  );
}

/** Runtime libraries that the app's compiler links by default. */
function runtimeOf(units: readonly AppUnit[], { env }: Deps): string[] {
  const hip = units.some(({ language }) => language === 'hip') ? ['-lamdhip64'] : [];
  if (!units.some(({ language }) => language === 'cuda')) return hip;
  const { root } = findCuda(env);
  const folders = ['lib64', 'lib'].map((name) => join(root, name)).filter((folder) => existsSync(folder));
  return [...hip, ...folders.map((folder) => `-L${folder}`), '-lcudart_static', '-ldl', '-lrt', '-lpthread'];
}

/** The app's link command with our objects in place of its own, and without options for device code. */
function linkedAs(
  words: readonly string[],
  units: readonly AppUnit[],
  objects: readonly string[],
  folder: string,
): string[] {
  const ours = new Map(units.map(({ object }, index) => [object ?? '', objects[index] ?? '']));
  const kept: string[] = [];
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '-o') index += 1;
    else if (
      !/^--(offload-arch|hip-link|rocm|generate-code)|^-(fgpu-rdc|arch|gencode|forward-unknown)|cmake_device_link\.o$/.test(
        word,
      )
    )
      kept.push(ours.get(resolve(folder, word)) ?? word);
  }
  return kept;
}
