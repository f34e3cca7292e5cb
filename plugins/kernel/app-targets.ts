import { join, normalize } from 'node:path/posix';
import type { ProjectConfiguration, TargetConfiguration } from '@nx/devkit';
import { programFile } from '../../lib/app/app';
import type { KernelEntry, KernloopJson } from '../../lib/app/kernloop-json';
import { captureFiles } from '../../lib/archive/capture-files';
import { stages } from '../../lib/stages/registry';
import { identityInputs, noPackages, optionInputs, type TargetInput } from './inputs';
import { pristineVariable, selectionVariable } from './selections';
import { kernloopFile } from '../../lib/support/project-file-names';

export const captureTarget = (kernel: string): string => `capture-${kernel}`;
export const generateTarget = (kernel: string): string => `generate-${kernel}`;
export const reproducerRoot = (app: string, kernel: string): string => `kernels/${app}/${kernel}`;

/** The project of an app: pure, from its kernloop.json. `root` is relative to the workspace, with forward slashes. */
export function appProject(root: string, config: KernloopJson): Omit<ProjectConfiguration, 'root'> {
  const targets: Record<string, TargetConfiguration> = {};
  if (config.build) targets['build'] = buildTarget(root, config);
  targets['program'] = programTarget(root, config);
  targets['profile'] = profileTarget(root, config);
  for (const kernel of config.kernels) {
    targets[captureTarget(kernel.name)] = captureKernel(root, config, kernel);
    targets[generateTarget(kernel.name)] = generateKernel(root, config, kernel);
  }
  targets['extract-kernel'] = extractKernel(root, config);
  return { name: config.name, projectType: 'application', targets, metadata: { technologies: ['kernloop'] } };
}

/** Not cached: the app's own build tool knows what is out of date, headers outside the project included. */
function buildTarget(root: string, { build }: KernloopJson): TargetConfiguration {
  return {
    executor: 'kernloop:build',
    options: { app: root },
    cache: false,
    outputs: (build?.outputs ?? []).map((output) => `{projectRoot}/${normalize(output)}`),
    metadata: { description: 'Build the app with its own build command.' },
  };
}

/** Not cached, and quick: what it looks at, Nx does not see, such as ignored files and the packages of a Python. */
function programTarget(root: string, { build }: KernloopJson): TargetConfiguration {
  return {
    executor: 'kernloop:program',
    options: { app: root },
    ...(build ? { dependsOn: ['build'] } : {}),
    cache: false,
    outputs: [`{projectRoot}/${programFile}`],
    metadata: { description: 'Write down what the command of the app runs, by digest: an input of what runs it.' },
  };
}

function profileTarget(root: string, config: KernloopJson): TargetConfiguration {
  return {
    executor: 'kernloop:profile',
    options: { app: root, build: false },
    ...afterBuild(config),
    cache: true,
    inputs: [
      ...appInputs(root, config),
      outputOf(join(root, programFile), false),
      ...optionInputs(stages.profile),
      ...deviceInputs,
      noPackages,
    ],
    outputs: ['{projectRoot}/.kernloop/profile.json'],
    metadata: { description: stages.profile.summary },
  };
}

function captureKernel(root: string, config: KernloopJson, kernel: KernelEntry): TargetConfiguration {
  return {
    executor: 'kernloop:capture',
    options: { app: root, kernel: [kernel.name], build: false },
    ...afterBuild(config),
    cache: true,
    inputs: [
      ...appInputs(root, config),
      outputOf(join(root, programFile), false),
      { env: selectionVariable(root, kernel.name) },
      ...optionInputs(stages.capture),
      // Asks for more than an option: a capture then holds the programs that the app compiled.
      { env: 'KERNLOOP_NVRTC_RECORD' },
      ...deviceInputs,
      ...identityInputs('KERNLOOP_STORE_GENERATION'),
      noPackages,
    ],
    // File by file: on a cache hit Nx removes whatever else it finds in a folder.
    outputs: ['capture', 'captures/*'].flatMap((folder) =>
      captureFiles.map((name) => `{workspaceRoot}/${reproducerRoot(config.name, kernel.name)}/${folder}/${name}`),
    ),
    metadata: { description: `Capture ${kernel.name} out of a run of the app.` },
  };
}

function generateKernel(root: string, config: KernloopJson, kernel: KernelEntry): TargetConfiguration {
  const folder = reproducerRoot(config.name, kernel.name);
  const database = config.compileCommands ? [outputOf(join(root, config.compileCommands), true)] : [];
  return {
    executor: 'kernloop:generate',
    options: { app: root, kernel: kernel.name },
    dependsOn: [captureTarget(kernel.name)],
    cache: true,
    inputs: [
      ...appInputs(root, config),
      { env: selectionVariable(root, kernel.name) },
      { env: pristineVariable(root, kernel.name) },
      outputOf(`${folder}/capture/capture.json`, false),
      ...database,
      ...optionInputs(stages.generate),
      ...identityInputs('KERNLOOP_TOOLCHAIN', 'KERNLOOP_PACKAGE_DIGEST'),
      noPackages,
    ],
    outputs: [`{workspaceRoot}/${folder}/pristine`],
    metadata: { description: `Generate the pristine files of ${kernel.name}'s reproducer.` },
  };
}

/** Not cached: it writes files that a user may edit. */
function extractKernel(root: string, { name }: KernloopJson): TargetConfiguration {
  return {
    executor: 'kernloop:extract',
    options: { app: root },
    cache: false,
    metadata: { description: `Make kernels of ${name} projects of their own (all declared ones, or --kernel).` },
  };
}

const deviceInputs = identityInputs('KERNLOOP_NATIVE_DIGEST', 'KERNLOOP_DEVICE_ID', 'KERNLOOP_PACKAGE_DIGEST');

function afterBuild({ build }: KernloopJson): Required<Pick<TargetConfiguration, 'dependsOn'>> {
  return { dependsOn: [...(build ? ['build'] : []), 'program'] };
}

/**
 * The app's files, and the program that its build left (a rebuild that changes nothing re-runs nothing); of kernloop.json what is said of
 * no single kernel.
 */
function appInputs(root: string, config: KernloopJson): TargetInput[] {
  const declared = `{projectRoot}/${kernloopFile}`;
  const own = [
    '{projectRoot}/**/*',
    '!{projectRoot}/.kernloop/**/*',
    `!${declared}`,
    { json: declared, excludeFields: ['kernels'] },
    ...outputExclusions(config),
  ];
  // An app at the root of the workspace has the reproducers below it.
  const reproducers = root === '.' ? ['!{projectRoot}/kernels/**/*'] : [];
  const stdin: TargetInput[] =
    config.stdin === undefined ? [] : [{ fileset: `{projectRoot}/${normalize(config.stdin)}`, includeIgnored: true }];
  const built = builtFiles(root, config).map((path) => outputOf(path, false));
  const libraries = config.build ? [outputOf('**/*.so*', false)] : [];
  return [...own, ...reproducers, ...stdin, ...built, ...libraries];
}

/** Words of the command that name something the build writes: the program, also behind a wrapper. */
function builtFiles(root: string, { build, command, cwd }: KernloopJson): string[] {
  const outputs = (build?.outputs ?? []).map((output) => join(root, output));
  return command
    .map((word) => join(root, cwd, word))
    .filter((path) => outputs.some((output) => path === output || path.startsWith(`${output}/`)));
}

/** What a build writes changes with every build; where the user's .gitignore does not name it, it is excluded here. */
function outputExclusions({ build }: KernloopJson): string[] {
  return (build?.outputs ?? []).map((output) => `!{projectRoot}/${normalize(output)}/**/*`);
}

function outputOf(glob: string, transitive: boolean): TargetInput {
  return { dependentTasksOutputFiles: normalize(glob), transitive };
}
