import { basename, join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  joinPathFragments,
  logger,
  readNxJson,
  updateNxJson,
  writeJson,
  type NxJsonConfiguration,
  type Tree,
} from 'nx/src/devkit-exports';
import { kernloopJsonSchema } from '../../lib/app/kernloop-json';
import { KernloopError } from '../../lib/support/error';
import { detect, type Detected } from './detect';
import { initOptionsSchema, type InitOptions } from './options';
import { kernloopFile } from '../../lib/support/project-file-names';

const plugin = 'kernloop/plugin';

/** What stages write and nobody commits. */
const ignored = [
  '.nx/cache',
  '.nx/workspace-data',
  '.kernloop/',
  '**/kernels/*/*/capture/',
  '**/kernels/*/*/captures/',
  '**/kernels/*/*/capture.lock',
  '**/kernels/*/*/build/',
  '**/kernels/*/*/report.json',
  '*.partial-*',
];

/** Adopts an app: declares it in kernloop.json, and sets the workspace up once. Running it again changes nothing. */
export default function init(tree: Tree, given: InitOptions): void {
  const options = initOptionsSchema.parse(given);
  const directory = insideWorkspace(tree, options.directory);
  const file = joinPathFragments(directory, kernloopFile);
  if (tree.exists(file)) logger.info(`${file} is there already and stays as it is`);
  else writeJson(tree, file, describeApp(tree, directory, options));
  setUpNx(tree);
  ignoreOutputs(tree);
}

function describeApp(tree: Tree, directory: string, options: ReturnType<typeof initOptionsSchema.parse>): object {
  const detected = detect(tree, directory);
  const compileCommands = options.compileCommands ?? detected.compileDatabases[0] ?? expectedDatabase(detected);
  if (compileCommands === undefined) {
    logger.warn(
      'no compile database: kernels are captured, but their source is compiled with plain hipcc; set "compileCommands" once there is one',
    );
  }
  const app = {
    $schema: schemaPath(tree, directory),
    name: options.name ?? nameOf(tree, directory),
    device: options.device,
    ...(detected.build ? { build: detected.build } : {}),
    command: startable(
      tree,
      directory,
      options.command.length > 0 ? options.command : [theProgram(detected, directory)],
    ),
    source: '.',
    ...(compileCommands === undefined ? {} : { compileCommands }),
    kernels: options.kernel.map((name) => ({ name, match: matchOf(name) })),
  };
  const checked = kernloopJsonSchema.safeParse(app);
  if (checked.success) return app;
  const [issue] = checked.error.issues;
  throw new KernloopError(
    'USAGE',
    `${issue?.path.join('.') ?? kernloopFile}: ${issue?.message ?? 'invalid'}`,
    'see nx g kernloop:init --help',
  );
}

/** A CMake build will write one, because the configure command asks for it. */
function expectedDatabase({ build }: Detected): string | undefined {
  return build?.configure ? 'build/compile_commands.json' : undefined;
}

function theProgram({ programs }: Detected, directory: string): string {
  const [program] = programs;
  if (program !== undefined && programs.length === 1) return program;
  throw new KernloopError(
    'USAGE',
    programs.length === 0
      ? `no program was found below ${directory}`
      : `several programs were found: ${programs.slice(0, 8).join(', ')}`,
    'name the program and its arguments, e.g. --command build/app, or build the app first',
  );
}

/** A program without a slash is looked for on the PATH, so one in the app's own folder needs one. */
function startable(tree: Tree, directory: string, [program = '', ...args]: readonly string[]): string[] {
  const isHere = !program.includes('/') && tree.isFile(joinPathFragments(directory, program));
  return [isHere ? `./${program}` : program, ...args];
}

/** The function of that name in any namespace, template or not, and nothing that only ends or starts alike. */
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
  if (!inside.startsWith('..') && (inside === '.' || tree.exists(inside))) return inside;
  throw new KernloopError(
    'USAGE',
    `${directory} is no folder of the workspace`,
    'name the folder of the app, relative to the workspace',
  );
}

/** From the app to the schema in the installed package; in Kernloop's own workspace to its source. */
function schemaPath(tree: Tree, directory: string): string {
  const schema = 'schemas/kernloop.schema.json';
  const target = tree.exists(schema) ? schema : joinPathFragments('node_modules', 'kernloop', schema);
  const path = relative(join(tree.root, directory), join(tree.root, target));
  return path.startsWith('.') ? path : `./${path}`;
}

function setUpNx(tree: Tree): void {
  const isNew = !tree.exists('nx.json');
  const nxJson = readNxJson(tree) ?? { $schema: './node_modules/nx/schemas/nx-schema.json' };
  const plugins = nxJson.plugins ?? [];
  const names = plugins.map((entry) => (typeof entry === 'string' ? entry : entry.plugin));
  const updated: NxJsonConfiguration = {
    ...nxJson,
    plugins: names.includes(plugin) ? plugins : [...plugins, plugin],
    // Nx shares its cache between clones otherwise, while captures lie in each clone's own store.
    cacheDirectory: nxJson.cacheDirectory ?? '.nx/cache',
    // What a workspace says of itself, or leaves open, is not ours to say.
    ...(isNew ? { analytics: false, neverConnectToCloud: true } : {}),
  };
  // updateNxJson writes no file that is not there; and written anew, one that is would lose its layout.
  if (isNew) writeJson(tree, 'nx.json', updated);
  else if (!isDeepStrictEqual(nxJson, updated)) updateNxJson(tree, updated);
}

function ignoreOutputs(tree: Tree): void {
  const text = tree.exists('.gitignore') ? (tree.read('.gitignore', 'utf-8') ?? '') : '';
  const present = new Set(text.split('\n').map((line) => line.trim()));
  const missing = ignored.filter(
    (line) => !present.has(line) && !present.has(line.split('/')[0] ?? '') && !present.has(`${line.split('/')[0]}/`),
  );
  if (missing.length === 0) return;
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  tree.write(
    '.gitignore',
    `${text}${separator}\n# Kernloop: of a reproducer everything is committed but what its stages write\n${missing.join('\n')}\n`,
  );
}
