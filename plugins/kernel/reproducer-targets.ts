import type { ProjectConfiguration } from '@nx/devkit';
import type { KernelJson } from '../../lib/reproducer/kernel-json';
import { variantExtension } from '../../lib/language/languages';
import type { TaskInput } from '../../lib/stage/task';
import { noInputs, resultFiles } from '../../lib/stage/writes';
import { deviceInputs, namedInputsOf, type TargetInput } from './inputs';
import { builtFile, judgedFile } from '../../lib/task-inputs/value-files';
import { commonInputs, targetsOf, type Place } from './targets';
import { valueInput } from './task-values';

const reproducerName = ({ app, name }: Pick<KernelJson, 'app' | 'name'>): string => `${app.name}-${name}`;

/**
 * Project of a reproducer: a pure function of its kernel.json. `captures`: the app is in this workspace and declares
 * the kernel, in the folder that its capture task writes. A reproducer that was moved elsewhere uses the capture it
 * has.
 */
export function reproducerProject(
  root: string,
  config: KernelJson,
  captures: boolean,
): Omit<ProjectConfiguration, 'root'> {
  const { targets, groups } = targetsOf(reproducerPlace(root, config, captures));
  return {
    name: reproducerName(config),
    projectType: 'application',
    namedInputs: { 'kernloop-files': ownFiles, ...namedInputsOf.reproducer },
    targets,
    ...(captures ? { implicitDependencies: [config.app.name] } : {}),
    metadata: {
      technologies: ['kernloop', config.language],
      description: config.demangled,
      targetGroups: grouped(groups),
    },
  };
}

/** Targets that everybody runs come first, in one group; targets for some kernels have separate groups. */
function grouped({
  pgo = [],
  tune = [],
  'trace-run': trace = [],
  ...groups
}: Record<string, string[]>): Record<string, string[]> {
  const others = Object.entries({ tune, pgo, trace }).filter(([, names]) => names.length > 0);
  return { kernel: Object.values(groups).flat(), ...Object.fromEntries(others) };
}

function reproducerPlace(root: string, config: KernelJson, captures: boolean): Place {
  const hasSource = config.language !== 'none';
  return {
    kind: 'reproducer',
    root,
    kernels: [],
    hasSource,
    hasCommands: false,
    others: [],
    elsewhere: captures ? { project: config.app.name, kernel: config.name } : undefined,
    inputs: (input) =>
      input === 'device' ? deviceInputs(config.device.kind) : inputsOf(input, root, config, captures),
    output: (path) =>
      path
        .replace('{reproducer}', '{projectRoot}')
        .replace(
          '{extension}',
          config.language === 'none' ? '' : variantExtension(config.language, config.device.kind),
        ),
  };
}

function inputsOf(input: TaskInput, root: string, { app, language }: KernelJson, captures: boolean): TargetInput[] {
  switch (input) {
    case 'reproducer':
      return ['kernloop-files'];
    case 'compiled':
      // The files that a compiler reads are known only afterwards: the cache is used only if nothing has changed since
      // the last recompile; otherwise the value is new.
      return [valueInput(builtFile(root))];
    case 'results':
      // Occupancy from the app's profile, as the device reports it.
      return [...resultInputs, { fileset: `{workspaceRoot}/${app.root}/.kernloop/profile.json`, includeIgnored: true }];
    case 'codeObjects':
      return [...builtByTheUser, valueInput(judgedFile(root))];
    case 'capture':
      return captureInputs(captures);
    case 'variant':
      return language !== 'none' ? [{ dependentTasksOutputFiles: '**/build/variant.*' }] : [];
    default:
      return commonInputs(input);
  }
}

/** Code objects count even if .gitignore names them; another task of this command may have built them. */
const builtByTheUser: TargetInput[] = [
  { fileset: '{projectRoot}/*.{hsaco,co,cubin}', includeIgnored: true },
  { fileset: '{projectRoot}/build/{candidate,optimized,kernel_variant}.{hsaco,co,cubin}', includeIgnored: true },
];

/** Files that the user edits, without those that stages write or only people read. */
const ownFiles: TargetInput[] = ['{projectRoot}/**/*', ...noInputs.map((pattern) => `!{projectRoot}/${pattern}`)];

const resultInputs: TargetInput[] = resultFiles.map((path) => ({
  fileset: `{projectRoot}/${path}`,
  includeIgnored: true,
}));

/** capture.json names every byte of a capture by digest; observed.json varies between runs and decides nothing. */
function captureInputs(captures: boolean): TargetInput[] {
  return ['capture', 'captures/*'].flatMap((folder): TargetInput[] => {
    if (captures) return [{ dependentTasksOutputFiles: `**/${folder}/{capture,selfcheck}.json` }];
    return ['capture', 'selfcheck'].map((name) => ({
      fileset: `{projectRoot}/${folder}/${name}.json`,
      includeIgnored: true,
    }));
  });
}
