import type { ProjectConfiguration } from '@nx/devkit';
import type { KernelJson } from '../../lib/reproducer/kernel-json';
import { variantExtension } from '../../lib/language/languages';
import type { TaskInput } from '../../lib/stage/task';
import { deviceInputs, namedInputsOf, type TargetInput } from './inputs';
import { builtFile, judgedFile } from '../../lib/task-inputs/value-files';
import { commonInputs, targetsOf, type Place } from './targets';
import { valueInput } from './task-values';

const reproducerName = ({ app, name }: Pick<KernelJson, 'app' | 'name'>): string => `${app.name}-${name}`;

/**
 * The project of a reproducer: pure, from its kernel.json. `captures` says whether the app is in this workspace and declares
 * the kernel, at the place where its capture task writes; a reproducer that was moved elsewhere lives from the capture it has.
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

/** What everybody runs comes first, under one head; what is asked of some kernels has its own. */
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
      // Which files a compiler reads is known only afterwards: the cache is asked only where nothing changed since the last recompile;
      // the value is a new one otherwise.
      return [valueInput(builtFile(root))];
    case 'results':
      // Of the profile of the app, what the device says of occupancy.
      return [...resultFiles, { fileset: `{workspaceRoot}/${app.root}/.kernloop/profile.json`, includeIgnored: true }];
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

/** Judged also where .gitignore names it; another task of this command may have built it. */
const builtByTheUser: TargetInput[] = [
  { fileset: '{projectRoot}/*.{hsaco,co,cubin}', includeIgnored: true },
  { fileset: '{projectRoot}/build/{candidate,optimized,kernel_variant}.{hsaco,co,cubin}', includeIgnored: true },
];

/** What the user edits; not what the stages write, nor what only people read. */
const ownFiles: TargetInput[] = [
  '{projectRoot}/**/*',
  '!{projectRoot}/capture/**/*',
  '!{projectRoot}/captures/**/*',
  '!{projectRoot}/build/**/*',
  '!{projectRoot}/pgo/**/*',
  '!{projectRoot}/trace/**/*',
  '!{projectRoot}/report.json',
  '!{projectRoot}/pushed.json',
  '!{projectRoot}/README.md',
  '!{projectRoot}/Makefile',
];

/** As they lie there: whichever stage wrote them, and whether or not it succeeded. */
const resultFiles: TargetInput[] = [
  '{capture,captures/*}/{capture,observed}.json',
  'report.json',
  'build/results/*',
  'build/tune/tune.json',
  'pgo/*.json',
  'pgo/instrumented/map.json',
  'pgo/variants/*.report.json',
  'trace/**/probe-run.json',
].map((path) => ({ fileset: `{projectRoot}/${path}`, includeIgnored: true }));

/** capture.json names every byte of a capture by digest; observed.json varies from run to run and decides nothing. */
function captureInputs(captures: boolean): TargetInput[] {
  return ['capture', 'captures/*'].flatMap((folder): TargetInput[] => {
    if (captures) return [{ dependentTasksOutputFiles: `**/${folder}/{capture,selfcheck}.json` }];
    return ['capture', 'selfcheck'].map((name) => ({
      fileset: `{projectRoot}/${folder}/${name}.json`,
      includeIgnored: true,
    }));
  });
}
