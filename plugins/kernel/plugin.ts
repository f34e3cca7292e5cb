import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path/posix';
import type { CreateNodes, CreateNodesResult, PostTasksExecution, PreTasksExecution } from '@nx/devkit';
import { kernloopJsonSchema, type KernloopJson } from '../../lib/app/kernloop-json';
import { kernelJsonSchema, type KernelJson } from '../../lib/reproducer/kernel-json';
import { foreignFiles } from '../../lib/generate/foreign-files';
import { commandVariable } from '../../lib/stage/command-inputs';
import { KernloopError } from '../../lib/support/error';
import { parseJson } from '../../lib/support/schema';
import { appProject, reproducerRoot } from './app-targets';
import { namedDevices, namedDevicesVariable } from './devices';
import { identityVariables } from './identity';
import { devicePools } from './device-pools';
import { stageTasks } from '../../lib/stages/stage-tasks';
import { formerName } from '../../lib/support/option-variables';
import { jsonReader, memoised, textIfThere } from '../../lib/support/lenient-json';
import { filesIn, nodesFromFiles } from './nx';
import { reproducerProject } from './reproducer-targets';
import { reproducerValues, trackedVariable } from './reproducer-values';
import { lostValues, pristineValues, selectionValues } from './selections';
import { announceCommand, markBegin, writeValues } from './task-values';
import { namedVariants } from './tracked-variants';
import { verdictSummary } from './verdict-summary';
import { writeToCommand } from './command-output';
import { ReadOnce } from '../../lib/support/read-once';
import { lostOrKept } from '../../lib/store/lost-captures';
import { kernloopFile, kernelFile } from '../../lib/support/project-file-names';
import { ensureExecutorSchemas } from './executor-schemas';

ensureExecutorSchemas();

export const name = 'kernloop';

export const createNodes: CreateNodes = [
  `**/{${kernloopFile},${kernelFile}}`,
  (files, options, context) => {
    const read = readerIn(context.workspaceRoot);
    const apps = declaredKernels(files, read);
    const twins = appsOfOneName(files, read);
    const projects = (file: string): CreateNodesResult => {
      refuseTwin(file, twins);
      return projectsOf(file, read, apps);
    };
    return nodesFromFiles(projects, files, options, context);
  },
];

export const createNodesV2 = createNodes;

/**
 * Sets variables with the identity of devices, toolchain and native core, and writes values for the selection of each
 * kernel and for files of reproducers that Nx does not hash, for every task of this command.
 */
export const preTasksExecution: PreTasksExecution = async (_options, { workspaceRoot, argv }) => {
  ensureExecutorSchemas();
  beforeTasks(await filesIn(workspaceRoot, [`**/{${kernloopFile},${kernelFile}}`]), workspaceRoot, argv);
};

/** Prints the verdicts of the command's validate tasks, whose output Nx hides if they succeed. */
export const postTasksExecution: PostTasksExecution = async (_options, { taskResults, argv, workspaceRoot }) => {
  const lines = verdictSummary(taskResults, argv);
  if (lines.length > 0) await writeToCommand(`${lines.join('\n')}\n\n`, { argv, workspaceRoot });
};

/** `files`: every kernloop.json and kernel.json, relative to the workspace. */
export function beforeTasks(files: readonly string[], workspaceRoot: string, argv: readonly string[]): void {
  const found = files.filter((file) => !isCopy(file));
  const look = new ReadOnce();
  const read = readerIn(workspaceRoot, look.textOf);
  const foreignIn = (reproducer: string): string[] => foreignFiles(join(workspaceRoot, reproducer, 'pristine'), look);
  const apps = found.filter((file) => basename(file) === kernloopFile);
  const json = jsonReader(look.jsonIn);
  const declared = (file: string): unknown => json(join(workspaceRoot, file));
  const isOurs = (file: string): boolean => {
    const value = declared(file);
    return value === undefined ? isReproducer(read(file)) : looksLikeReproducer(value);
  };
  const reproducers = found.filter((file) => basename(file) === kernelFile && isOurs(file));
  const named = namedDevices([...apps, ...reproducers], workspaceRoot, argv, process.env, json);
  const identity = identityVariables(process.env, named, devicePools(apps, read, process.env));
  const toolchain = identity.KERNLOOP_TOOLCHAIN;
  const { values, tracked } = reproducerValues(reproducers, workspaceRoot, argv, process.env, toolchain, look, json);
  Object.assign(process.env, identity, {
    [namedDevicesVariable]: JSON.stringify(named),
    [trackedVariable]: JSON.stringify(tracked),
  });
  // The stage that has the option refuses it; a result from the cache would ignore it.
  if (hasFormerName(process.env)) process.env['KERNLOOP_PACKAGE_DIGEST'] = `unknown ${randomUUID()}`;
  if (found.length === 0) return;
  const own = [toolchain, process.env['KERNLOOP_STORE'] ?? '', ...namedVariants(argv, process.env)];
  try {
    Object.assign(process.env, announceCommand(workspaceRoot, own));
    writeValues(workspaceRoot, {
      ...selectionValues(apps, declared),
      ...lostValues(apps, declared, lostOrKept(workspaceRoot, process.env, look)),
      ...pristineValues(apps, declared, foreignIn),
      ...values,
    });
    Object.assign(process.env, markBegin(workspaceRoot));
  } catch (error) {
    takeNothingFromTheCache(error);
  }
}

/** Whether a variable is set that set an option under its former name. */
const hasFormerName = (env: NodeJS.ProcessEnv): boolean =>
  stageTasks.some(({ options }) => options.some((option) => env[formerName(option) ?? '']));

/** Disables the cache for Kernloop's tasks instead of failing, because other tasks of the command must still run. */
function takeNothingFromTheCache(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    `warning: kernloop: the inputs of tasks cannot be written, so no task of a kernel is taken from the cache: ${why}\n`,
  );
  delete process.env[commandVariable];
  process.env['KERNLOOP_PACKAGE_DIGEST'] = `unknown ${randomUUID()}`;
}

type Read = (path: string) => string;

/** Reads each file once: all parts of an answer are of the same text. */
const readerIn =
  (workspaceRoot: string, textOf = memoised(textIfThere)): Read =>
  (path) =>
    textOf(join(workspaceRoot, path)) ?? readFileSync(join(workspaceRoot, path), 'utf8');

/** Projects that one file declares; none for a file of that name that is not Kernloop's. */
export function projectsOf(file: string, read: Read, declared: ReadonlySet<string>): CreateNodesResult {
  const root = dirname(file);
  if (isCopy(file)) return {};
  if (file.endsWith(kernloopFile)) {
    const config = parseJson(file, read(file), kernloopJsonSchema);
    return { projects: { [root]: { root, ...appProject(root, config) } } };
  }
  const config = kernelOrNone(file, read(file));
  if (config === undefined || config.task_of !== undefined) return {};
  const captures = declared.has(root) && root === reproducerRoot(config.app.name, config.name);
  return { projects: { [root]: { root, ...reproducerProject(root, config, captures) } } };
}

/**
 * Folders of all kernels declared by the apps among the files. A broken kernloop.json is reported when it is itself
 * read.
 */
export function declaredKernels(files: readonly string[], read: Read): Set<string> {
  return new Set(
    files
      .filter((file) => file.endsWith(kernloopFile) && !isCopy(file))
      .flatMap((file) => {
        const config = configOrNone(file, read);
        return config ? config.kernels.map((kernel) => reproducerRoot(config.name, kernel.name)) : [];
      }),
  );
}

/** Files of apps that share a name, by name: both would write to kernels/<name>. */
export function appsOfOneName(files: readonly string[], read: Read): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const file of files.filter((each) => each.endsWith(kernloopFile) && !isCopy(each))) {
    const name = configOrNone(file, read)?.name;
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  return new Map([...byName].filter(([, sharing]) => sharing.length > 1));
}

export function refuseTwin(file: string, twins: ReadonlyMap<string, readonly string[]>): void {
  const [name, sharing] = [...twins].find(([, each]) => each.includes(file)) ?? [];
  if (name === undefined || sharing === undefined) return;
  throw new KernloopError(
    'APP_CONFLICT',
    `${sharing.join(' and ')} declare apps of one name, "${name}": both would write to kernels/${name}`,
    'give one of them another "name"',
  );
}

function configOrNone(file: string, read: Read): KernloopJson | undefined {
  try {
    return parseJson(file, read(file), kernloopJsonSchema);
  } catch {
    return undefined;
  }
}

/** Whether a file is a generated or built copy, which is no project. */
function isCopy(file: string): boolean {
  return file.split('/').some((part) => ['pristine', 'capture', 'build', 'dist', 'node_modules'].includes(part));
}

/** Undefined for a file that is none of ours. */
function kernelOrNone(file: string, text: string): KernelJson | undefined {
  try {
    return parseJson(file, text, kernelJsonSchema);
  } catch (error) {
    if (isReproducer(text)) throw error;
    return undefined;
  }
}

/** Jupyter also calls its kernel specifications kernel.json. */
function isReproducer(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A damaged kernel.json of Kernloop must be an error; others may also be invalid JSON.
    return text.includes('"code_object"');
  }
  return looksLikeReproducer(value);
}

/** An exported task is a copy. */
const looksLikeReproducer = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'symbol' in value &&
  'code_object' in value &&
  'selection' in value &&
  !('task_of' in value);
