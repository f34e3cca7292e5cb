import { basename, join, relative } from 'node:path';
import type { DeviceKind } from '../device/kinds';
import { KernloopError } from '../support/error';
import type { Reporter } from '../support/report';
import { commandText } from '../support/command-text';
import { schemaReference } from '../support/schema-reference';
import { kernloopFile } from '../support/project-file-names';
import { watchedDatabase } from './compile-database';
import { cleanBuild } from './clean-build';
import { commandOf, type Ask } from './command';
import { matchOf, type DeclaredKernel } from './declare-kernel';
import { detect, type Detected } from './detect';
import { kernloopJsonSchema, type KernloopJson } from './kernloop-json';
import type { WorkspaceFiles } from './workspace-files';

/** Facts that the user gives; what is missing is found in the folder. */
export interface GivenApp {
  name?: string | undefined;
  /** Program and arguments: one line, or a word each. */
  command?: readonly string[] | undefined;
  device?: DeviceKind | undefined;
  kernels?: readonly DeclaredKernel[];
  compileCommands?: string | undefined;
  options?: KernloopJson['options'];
}

/** Face through which the user called: how it asks and reports, and which commands it names. */
export interface Describing {
  readonly ask?: Ask | undefined;
  readonly report: Pick<Reporter, 'info' | 'warn'>;
  readonly watchBuild: string;
  /** Hint of an error in a value that was given. */
  readonly help: string;
  /** Whether the package is in the workspace's node_modules, or about to be. */
  readonly isInstalled: boolean;
}

/** Command that makes the build compile everything, before the command that watches it. */
function cleaning(build: readonly string[] | undefined, root: string): string {
  const clean = build && cleanBuild(build)?.clean;
  if (clean == null) return '';
  const folder = relative(process.cwd(), root);
  return folder === '' ? `${clean}; ` : `(cd ${commandText([folder])} && ${clean}); `;
}

/** Content of the kernloop.json of a folder of the workspace, from its files; nothing is run. */
export async function describeApp(
  files: WorkspaceFiles,
  directory: string,
  given: GivenApp,
  { ask, report, watchBuild, help, isInstalled }: Describing,
): Promise<object> {
  const detected = detect(files, directory);
  const compileCommands = given.compileCommands ?? detected.compileDatabases[0] ?? expectedDatabase(detected);
  const processor = given.options?.['extract']?.['softgpu'];
  const command = await commandOf(
    files,
    directory,
    given.command ?? [],
    detected,
    ask,
    typeof processor === 'string' ? processor : undefined,
  );
  const isScript = command[0] === 'python3';
  if (compileCommands === watchedDatabase) {
    report.info(
      `no compile database: to get the options of each file, watch one whole build: ${cleaning(detected.build?.command, join(files.root, directory))}${watchBuild}`,
    );
  } else if (compileCommands === undefined && !isScript) {
    report.warn(
      'no compile database: kernels are captured, but their source is compiled without the options of its build; set "compileCommands" once there is one',
    );
  }
  const isThere = (path: string): boolean => {
    const inside = relative(files.root, path);
    return (isInstalled && inside.startsWith('node_modules/')) || files.exists(inside);
  };
  const schema = schemaReference(files.root, join(files.root, directory), 'kernloop', isThere);
  const app = {
    ...(schema === undefined ? {} : { $schema: schema }),
    name: given.name ?? nameOf(files, directory),
    device: given.device ?? 'softgpu',
    ...(detected.build ? { build: buildOf(detected.build, command) } : {}),
    command,
    source: '.',
    ...(compileCommands === undefined ? {} : { compileCommands }),
    kernels: given.kernels ?? [],
    ...(given.options === undefined ? {} : { options: given.options }),
  };
  const checked = kernloopJsonSchema.safeParse(app);
  if (checked.success) return app;
  const [issue] = checked.error.issues;
  throw new KernloopError('USAGE', `${issue?.path.join('.') ?? kernloopFile}: ${issue?.message ?? 'invalid'}`, help);
}

/** Entries of kernels that are declared by function name. */
export const kernelsNamed = (names: readonly string[]): DeclaredKernel[] =>
  names.map((name) => ({ name, match: matchOf(name) }));

/** Name of an app that is given none: that of its folder. */
export function nameOf(files: WorkspaceFiles, directory: string): string {
  return asName(directory === '.' ? basename(files.root) : basename(directory));
}

/** The nearest name that kernloop.json allows. */
export const asName = (text: string): string =>
  text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'app';

/** A CMake build will write a database, because the configure command requests it; other builds are watched. */
function expectedDatabase({ build }: Detected): string | undefined {
  if (build !== undefined && build.configure === undefined) return watchedDatabase;
  const folder = build?.configure && build.outputs[0];
  return folder ? join(folder, 'compile_commands.json') : undefined;
}

/** make puts its program anywhere: the command reveals this one output. */
function buildOf(build: NonNullable<Detected['build']>, [program = '']: readonly string[]): Detected['build'] {
  const isOfApp = program.includes('/') && !program.startsWith('/') && !program.startsWith('../');
  return build.outputs.length > 0 || !isOfApp ? build : { ...build, outputs: [join(program)] };
}
