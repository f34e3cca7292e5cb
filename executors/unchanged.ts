import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { openApp, programFile } from '../lib/app/app';
import { programFiles } from '../lib/app/program-files';
import type { Deps } from '../lib/deps/deps';
import { pgoToolchainIdentity } from '../lib/pgo/identity';
import { openReproducer } from '../lib/reproducer/reproducer';
import { beganVariable, commandVariable } from '../lib/stage/command-inputs';
import type { Stage } from '../lib/stage/stage';
import type { TaskInput } from '../lib/stage/task';
import { KernloopError } from '../lib/support/error';
import { jsonText } from '../lib/support/files';
import { jsonReader } from '../lib/support/lenient-json';
import { kernloopFile } from '../lib/support/project-file-names';
import { ReadOnce } from '../lib/support/read-once';
import { isStillBuiltOf } from '../lib/task-inputs/built-value';
import { declaredValues } from '../lib/task-inputs/declared-values';
import { changedJudged } from '../lib/task-inputs/judged-value';
import { changedFile, digestsOf, readFiles, type TaskFolders } from '../lib/task-inputs/read-files';
import { builtFile, declaredFile, isUnknown, judgedFile, selectionFile } from '../lib/task-inputs/value-files';
import { toolchainIdentity } from '../lib/toolchain/identity';
import type { TaskContext } from './tracked';

type Values = Readonly<Record<string, unknown>>;

/**
 * Nx hashes a task, starts it, and caches its result under that hash: after a change in between, or during the run, the
 * result would be served for other inputs. So a cached task compares its inputs with what the command hashed, when it
 * starts and when it has ended; a failed task is never cached. Returns the second check. (The bytes of captures and
 * variants are also compared where they are read: `expect` of lib/replay/program.ts.)
 */
export async function watchInputs(
  { task, project }: Pick<Stage, 'task' | 'project'>,
  values: Values,
  { root: workspaceRoot }: TaskContext,
  deps: Pick<Deps, 'env' | 'run' | 'native' | 'opened'>,
): Promise<() => void> {
  // Without the plugin there is no cache to corrupt.
  if (!task?.cache || deps.env[commandVariable] === undefined || project === 'none' || project === 'either')
    return () => undefined;
  const inputs = new Inputs(
    task.inputs,
    foldersOf(project, values, deps.opened),
    kernelsOf(values),
    workspaceRoot,
    deps,
  );
  const look = new ReadOnce();
  const before = inputs.digests(look);
  inputs.requireAsHashed(look);
  if (task.inputs.includes('program')) await requireProgram(values, deps);
  return () => {
    const again = new ReadOnce();
    inputs.requireAsHashed(again);
    const changed = changedFile(before, inputs.digests(again));
    if (changed !== null) throw changedInput(relative(workspaceRoot, changed), 'while the task ran');
  };
}

class Inputs {
  private readonly root: string;

  constructor(
    private readonly inputs: readonly TaskInput[],
    private readonly folders: TaskFolders,
    private readonly kernels: readonly string[],
    private readonly workspaceRoot: string,
    private readonly deps: Pick<Deps, 'env'>,
  ) {
    this.root = relative(workspaceRoot, folders.root) || '.';
  }

  digests({ digestOf }: ReadOnce): ReadonlyMap<string, string> {
    return digestsOf(readFiles(this.inputs, this.folders), digestOf);
  }

  /** Compares inputs with the values that the plugin wrote before Nx hashed the tasks. */
  requireAsHashed(look: ReadOnce): void {
    const { env } = this.deps;
    for (const input of this.inputs) {
      if (input === 'codeObjects') this.requireJudged(look);
      if (input === 'compiled') this.requireBuilt(look);
      if (input === 'app') this.requireDeclared(look, [declaredFile(this.root)]);
      if (input === 'selection')
        this.requireDeclared(
          look,
          this.kernels.map((name) => selectionFile(this.root, name)),
        );
      if (input === 'toolchain') requireIdentity('KERNLOOP_TOOLCHAIN', toolchainIdentity, env);
      if (input === 'llvm') requireIdentity('KERNLOOP_PGO_TOOLCHAIN', pgoToolchainIdentity, env);
    }
  }

  private requireJudged(look: ReadOnce): void {
    const value = this.value(judgedFile(this.root));
    if (isUnknown(value)) return;
    const changed = changedJudged(value, this.folders.root, this.workspaceRoot, look, jsonReader(look.jsonIn));
    if (changed !== null) throw changedInput(changed);
  }

  private requireBuilt(look: ReadOnce): void {
    const value = this.value(builtFile(this.root));
    const toolchain = this.deps.env['KERNLOOP_TOOLCHAIN'];
    if (isUnknown(value) || toolchain === undefined) return;
    // Not the task's project: the file may have changed since the last check.
    const known = { digestOf: look.digestOf, isThere: look.isThere, toolchain, opened: look };
    if (isStillBuiltOf(value, this.folders.root, this.deps.env, known)) return;
    throw changedInput(`what ${this.root} is compiled from`);
  }

  private requireDeclared({ textOf, jsonIn }: ReadOnce, files: readonly string[]): void {
    const path = join(this.root, kernloopFile);
    const absolute = join(this.workspaceRoot, path);
    if (textOf(absolute) === undefined) throw changedInput(path);
    const now = declaredValues(path, jsonReader(jsonIn)(absolute));
    // The stage reports a kernel that is not declared.
    for (const file of files) if (now[file] !== undefined && this.value(file) !== now[file]) throw changedInput(path);
  }

  /** Reads a value. One that a later command wrote does not say what this command's tasks were hashed by. */
  private value(file: string): string {
    const path = join(this.workspaceRoot, file);
    const began = BigInt(this.deps.env[beganVariable] ?? 0);
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats !== undefined && stats.ctimeNs <= began) return readFileSync(path, 'utf8');
    throw new KernloopError(
      'COMMAND_OVERTAKEN',
      `another command of Nx has hashed ${this.root} since this one began, and found it changed (${file}): the answer of this task would be kept as that of what it was`,
      'run it again when the other has ended',
    );
  }
}

function requireIdentity(name: string, identity: (env: Deps['env']) => string, env: Deps['env']): void {
  if (env[name] !== undefined && identity(env) !== env[name]) throw changedInput('the toolchain');
}

/**
 * The command's files must be those that the target `program` recorded. A command that builds its own program may
 * change it afterwards.
 */
async function requireProgram({ app }: Values, deps: Pick<Deps, 'env' | 'run' | 'native'>): Promise<void> {
  const opened = openApp(typeof app === 'string' ? app : '.');
  const path = join(opened.root, programFile);
  const written = statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : undefined;
  if (written !== jsonText(await programFiles(opened, deps)))
    throw changedInput(`what the command of ${opened.config.name} runs`);
}

function changedInput(what: string, since = 'after Nx had hashed it'): KernloopError {
  return new KernloopError(
    'INPUT_CHANGED',
    `${what} was changed ${since}: the answer of this task would be kept as that of what it was`,
    'run the command again',
  );
}

function foldersOf(
  project: 'app' | 'reproducer',
  { app, reproducer, kernel }: Values,
  open: ReadOnce | undefined,
): TaskFolders {
  if (project === 'reproducer') {
    const { root } = openReproducer(typeof reproducer === 'string' ? reproducer : '.', open);
    return { root, reproducers: [root] };
  }
  const opened = openApp(typeof app === 'string' ? app : '.', open);
  return { root: opened.root, reproducers: kernelsOf({ kernel }).map((name) => dirname(opened.capture(name))) };
}

function kernelsOf({ kernel }: Values): string[] {
  return [kernel].flat().filter((name): name is string => typeof name === 'string');
}
