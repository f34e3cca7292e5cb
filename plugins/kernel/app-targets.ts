import { join, normalize } from 'node:path/posix';
import type { ProjectConfiguration, TargetConfiguration } from '@nx/devkit';
import { databaseFile, programFile } from '../../lib/app/app';
import type { KernloopJson } from '../../lib/app/kernloop-json';
import type { TaskInput } from '../../lib/stage/task';
import { kernloopFile } from '../../lib/support/project-file-names';
import { deviceInputs, namedInputsOf, type TargetInput } from './inputs';
import { declaredFile, selectionFile } from '../../lib/task-inputs/value-files';
import { lostFile, pristineFile } from './selections';
import { valueInput } from './task-values';
import { commonInputs, targetsOf, type Place } from './targets';

export const reproducerRoot = (app: string, kernel: string): string => `kernels/${app}/${kernel}`;

/**
 * Project of an app: a pure function of its kernloop.json. `root` is relative to the workspace, with forward slashes.
 */
export function appProject(root: string, config: KernloopJson): Omit<ProjectConfiguration, 'root'> {
  const own: Record<string, TargetConfiguration> = {
    ...(config.build ? { build: buildTarget(root, config) } : {}),
    program: programTarget(root, config),
  };
  const { targets, groups } = targetsOf(appPlace(root, config));
  return {
    name: config.name,
    projectType: 'application',
    namedInputs: namedInputsOf.app,
    targets: { ...own, ...targets },
    metadata: { technologies: ['kernloop'], targetGroups: { app: Object.keys(own), ...groups } },
  };
}

function appPlace(root: string, config: KernloopJson): Place {
  const folder = (kernel = ''): string => reproducerRoot(config.name, kernel);
  return {
    kind: 'app',
    root,
    kernels: config.kernels.map(({ name }) => name),
    hasSource: true,
    hasCommands: config.compileCommands !== undefined && config.device !== 'cuda',
    others: config.build ? ['build', 'program'] : ['program'],
    elsewhere: undefined,
    inputs: (input, kernel) => inputsOf(input, root, config, kernel ?? ''),
    output: (path, kernel) =>
      path.replace('{app}', '{projectRoot}').replace('{reproducer}', `{workspaceRoot}/${folder(kernel)}`),
  };
}

function inputsOf(input: TaskInput, root: string, config: KernloopJson, kernel: string): TargetInput[] {
  switch (input) {
    case 'app':
      return appInputs(root, config);
    case 'program':
      return [outputOf(join(root, programFile), false)];
    case 'selection':
      return [valueInput(selectionFile(root, kernel))];
    case 'pristine':
      return [valueInput(pristineFile(root, kernel))];
    case 'capture':
      return [outputOf(`${reproducerRoot(config.name, kernel)}/capture/capture.json`, false)];
    case 'device':
      return deviceInputs(config.device ?? 'softgpu');
    case 'store':
      return [valueInput(lostFile(root, kernel))];
    case 'compileCommands':
      // An input even if no database is named: the build may have been watched.
      return [outputOf(join(root, databaseFile), true)];
    default:
      return commonInputs(input);
  }
}

/**
 * Not cached: the app's own build tool knows which outputs are out of date, including by headers outside the project.
 */
function buildTarget(root: string, { build }: KernloopJson): TargetConfiguration {
  return {
    executor: 'kernloop:build',
    options: { app: root },
    cache: false,
    outputs: (build?.outputs ?? []).map((output) => `{projectRoot}/${normalize(output)}`),
    metadata: { description: 'Build the app with its own build command.' },
  };
}

/** Not cached, but quick: it reads files that Nx does not see, such as ignored files and Python packages. */
function programTarget(root: string, { build }: KernloopJson): TargetConfiguration {
  return {
    executor: 'kernloop:program',
    options: { app: root },
    ...(build ? { dependsOn: ['build'] } : {}),
    cache: false,
    outputs: [`{projectRoot}/${programFile}`, `{projectRoot}/${databaseFile}`],
    metadata: { description: 'Write down what the command of the app runs, by digest: an input of what runs it.' },
  };
}

/**
 * Files of the app, and the program that its build left (a rebuild without changes re-runs nothing); of kernloop.json,
 * the settings that belong to no single kernel.
 */
function appInputs(root: string, config: KernloopJson): TargetInput[] {
  const declared = `{projectRoot}/${kernloopFile}`;
  const own = [
    '{projectRoot}/**/*',
    '!{projectRoot}/.kernloop/**/*',
    `!${declared}`,
    // Hashed by its content when the tasks start as well, because they compare it.
    { json: declared, excludeFields: ['kernels'] },
    valueInput(declaredFile(root)),
    ...outputExclusions(config),
  ];
  // If the app is at the root of the workspace, the reproducers are below it.
  const reproducers = root === '.' ? ['!{projectRoot}/kernels/**/*'] : [];
  const stdin: TargetInput[] =
    config.stdin === undefined ? [] : [{ fileset: `{projectRoot}/${normalize(config.stdin)}`, includeIgnored: true }];
  const built = builtFiles(root, config).map((path) => outputOf(path, false));
  const libraries = config.build ? [outputOf('**/*.so*', false)] : [];
  return [...own, ...reproducers, ...stdin, ...built, ...libraries];
}

/** Words of the command that name build outputs: the program, also behind a wrapper. */
function builtFiles(root: string, { build, command, cwd }: KernloopJson): string[] {
  const outputs = (build?.outputs ?? []).map((output) => join(root, output));
  return command
    .map((word) => join(root, cwd, word))
    .filter((path) => outputs.some((output) => path === output || path.startsWith(`${output}/`)));
}

/** Excludes build outputs, which change with every build, in case the user's .gitignore does not name them. */
function outputExclusions({ build }: KernloopJson): string[] {
  return (build?.outputs ?? []).flatMap((output) =>
    ['', '/**/*'].map((below) => `!{projectRoot}/${normalize(output)}${below}`),
  );
}

function outputOf(glob: string, transitive: boolean): TargetInput {
  return { dependentTasksOutputFiles: normalize(glob), transitive };
}
