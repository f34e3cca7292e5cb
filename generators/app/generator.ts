import { basename, relative, resolve } from 'node:path';
import { joinPathFragments, logger, writeJson, type GeneratorCallback, type Tree } from 'nx/src/devkit-exports';
import type { Ask } from '../../lib/app/command';
import { describeApp, kernelsNamed, nameOf } from '../../lib/app/describe-app';
import { withBuildIgnored } from '../../lib/app/ignored-outputs';
import { kernloopJsonSchema, type KernloopJson } from '../../lib/app/kernloop-json';
import { kernloopFile } from '../../lib/support/project-file-names';
import { KernloopError } from '../../lib/support/error';
import { parseJson } from '../../lib/support/schema';
import { setUpWorkspace } from '../init/workspace';
import { askAtTerminal, nxCommand, verbCommand, withHint } from '../terminal';
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
  if (!isThere) writeJson(tree, file, await describe(tree, directory, options, ask));
  const declared = parseJson(file, tree.read(file, 'utf-8') ?? '', kernloopJsonSchema);
  const { done, finish } = setUpWorkspace(tree, options);
  if (!isThere) ignoreBuild(tree, directory, declared);
  return async (): Promise<void> => {
    await finish();
    await withHint(() => expectProject(tree.root, declared.name, directory));
    const what = [summary(file, isThere, declared, options), ...done].join('; ');
    logger.info(['', `Kernloop: ${what}.`, ...nextSteps(tree, file, declared)].join('\n'));
  };
}

async function describe(tree: Tree, directory: string, options: Options, ask: Ask | undefined): Promise<object> {
  const name = options.name ?? nameOf(tree, directory);
  await refuseTwin(tree, directory, name);
  const { kernel = [], ...given } = options;
  return await describeApp(
    tree,
    directory,
    { ...given, name, kernels: kernelsNamed(kernel) },
    {
      ask,
      report: logger,
      watchBuild: verbCommand(tree, `watch-build --app ${directory}`),
      help: 'see nx g kernloop:app --help',
      isInstalled: true,
    },
  );
}

function ignoreBuild(tree: Tree, directory: string, { build }: KernloopJson): void {
  const path = joinPathFragments(directory, '.gitignore');
  const read = (file: string): string | null => tree.read(file, 'utf-8');
  const text = withBuildIgnored({ app: read(path), workspace: read('.gitignore') }, directory, build?.outputs ?? []);
  if (text !== null) tree.write(path, text);
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
