import { basename, join, relative, resolve } from 'node:path';
import { joinPathFragments, logger, writeJson, type GeneratorCallback, type Tree } from 'nx/src/devkit-exports';
import { watchedDatabase } from '../../lib/app/compile-database';
import { kernloopJsonSchema, type KernloopJson } from '../../lib/app/kernloop-json';
import { kernloopFile } from '../../lib/support/project-file-names';
import { schemaReference } from '../../lib/support/schema-reference';
import { KernloopError } from '../../lib/support/error';
import { parseJson } from '../../lib/support/schema';
import { setUpWorkspace } from '../init/workspace';
import { askAtTerminal, nxCommand, verbCommand, withHint, type Ask } from '../terminal';
import { commandOf } from './command';
import { detect, type Detected } from './detect';
import { expectProject, refuseTwin } from './graph';
import { appOptionsSchema, type AppOptions } from './options';

type Options = ReturnType<typeof appOptionsSchema.parse>;

/** Adopts an app: declares it in kernloop.json and sets up the workspace. Running it again changes nothing. */
export default function app(tree: Tree, given: AppOptions): Promise<GeneratorCallback> {
  return withHint(() => adoptApp(tree, given, askAtTerminal()));
}

export async function adoptApp(tree: Tree, given: AppOptions, ask: Ask | undefined): Promise<GeneratorCallback> {
  const options = appOptionsSchema.parse(given);
  const directory = insideWorkspace(tree, options.directory);
  const file = joinPathFragments(directory, kernloopFile);
  const isThere = tree.exists(file);
  if (!isThere) writeJson(tree, file, await describeApp(tree, directory, options, ask));
  const declared = parseJson(file, tree.read(file, 'utf-8') ?? '', kernloopJsonSchema);
  const { done, finish } = setUpWorkspace(tree, options);
  return async (): Promise<void> => {
    await finish();
    await withHint(() => expectProject(tree.root, declared.name, directory));
    const what = [summary(file, isThere, declared, options), ...done].join('; ');
    logger.info(['', `Kernloop: ${what}.`, ...nextSteps(tree, file, declared)].join('\n'));
  };
}

async function describeApp(tree: Tree, directory: string, options: Options, ask: Ask | undefined): Promise<object> {
  const name = options.name ?? nameOf(tree, directory);
  await refuseTwin(tree, directory, name);
  const detected = detect(tree, directory);
  const compileCommands = options.compileCommands ?? detected.compileDatabases[0] ?? expectedDatabase(detected);
  const isWatched = compileCommands === watchedDatabase;
  const command = await commandOf(tree, directory, options.command ?? [], detected, ask);
  const isScript = command[0] === 'python3';
  if (isWatched) {
    logger.info(
      `no compile database: have the build watched once from clean, for the options of each file: ${verbCommand(tree, `watch-build --app ${directory}`)}`,
    );
  } else if (compileCommands === undefined && !isScript) {
    logger.warn(
      'no compile database: kernels are captured, but their source is compiled without the options of its build; set "compileCommands" once there is one',
    );
  }
  // A generator runs from the package, which is installed or about to be.
  const isThere = (path: string): boolean => inNodeModules(tree, path) || tree.exists(relative(tree.root, path));
  const schema = schemaReference(tree.root, join(tree.root, directory), 'kernloop', isThere);
  const app = {
    ...(schema === undefined ? {} : { $schema: schema }),
    name,
    device: options.device ?? 'softgpu',
    ...(detected.build ? { build: buildOf(detected.build, command) } : {}),
    command,
    source: '.',
    ...(compileCommands === undefined ? {} : { compileCommands }),
    kernels: (options.kernel ?? []).map((kernel) => ({ name: kernel, match: matchOf(kernel) })),
  };
  const checked = kernloopJsonSchema.safeParse(app);
  if (checked.success) return app;
  const [issue] = checked.error.issues;
  throw new KernloopError(
    'USAGE',
    `${issue?.path.join('.') ?? kernloopFile}: ${issue?.message ?? 'invalid'}`,
    'see nx g kernloop:app --help',
  );
}

/** A CMake build will write a database, because the configure command requests it; other builds are watched. */
function expectedDatabase({ build }: Detected): string | undefined {
  if (build !== undefined && build.configure === undefined) return watchedDatabase;
  const folder = build?.configure && build.outputs[0];
  return folder ? joinPathFragments(folder, 'compile_commands.json') : undefined;
}

/** make puts its program anywhere: the command reveals this one output. */
function buildOf(build: NonNullable<Detected['build']>, [program = '']: readonly string[]): Detected['build'] {
  const isOfApp = program.includes('/') && !program.startsWith('/') && !program.startsWith('../');
  return build.outputs.length > 0 || !isOfApp ? build : { ...build, outputs: [joinPathFragments(program)] };
}

/** Pattern for functions with exactly this name, in any namespace, template or not. */
function matchOf(name: string): string {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return `(^|[ :])${literal}([<(]|$)`;
}

function nameOf(tree: Tree, directory: string): string {
  const folder = directory === '.' ? basename(tree.root) : basename(directory);
  return folder.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'app';
}

function insideWorkspace(tree: Tree, directory: string): string {
  const inside = relative(tree.root, resolve(tree.root, directory)) || '.';
  if (!inside.startsWith('..') && tree.isFile(inside)) {
    const [folder, file] = [joinPathFragments(inside, '..'), basename(inside)];
    throw new KernloopError(
      'USAGE',
      `${directory} is a file`,
      `name the folder of the app, and the file as its command: ${folder} --command=${file}`,
    );
  }
  if (!inside.startsWith('..') && (inside === '.' || tree.exists(inside))) return inside;
  throw new KernloopError(
    'USAGE',
    `${directory} is no folder of the workspace`,
    'name the folder of the app, relative to the workspace',
  );
}

const inNodeModules = (tree: Tree, path: string): boolean => relative(tree.root, path).startsWith('node_modules/');

function summary(file: string, wasThere: boolean, { name, command }: KernloopJson, options: Options): string {
  if (!wasThere) return `${file} declares ${name}, which runs ${command.join(' ')}`;
  const { directory: _directory, skipPackageJson: _skip, ...told } = options;
  const aside = Object.entries(told).filter(([, value]) => value !== undefined);
  const flags = aside.map(([option]) => `--${option}`).join(', ');
  return `${file} is there already and stays as it is${flags && ` (left aside: ${flags})`}`;
}

function nextSteps(tree: Tree, file: string, { name, kernels }: KernloopJson): string[] {
  const extract = nxCommand(tree, `run ${name}:extract-kernel`);
  if (kernels.length > 0) return [`Next, make its kernels projects: ${extract}`];
  return [
    `Next, see what it launches: ${nxCommand(tree, `run ${name}:profile`)}`,
    `then name what matters under "kernels" of ${file}, and: ${extract}`,
  ];
}
