import type { TargetConfiguration } from '@nx/devkit';
import type { Stage } from '../../lib/stage/stage';
import type { OtherTask, Task, TaskInput, TaskTarget } from '../../lib/stage/task';
import { stageNames, stages, stageSummaries } from '../../lib/stages/registry';
import { optionInfos } from '../../lib/support/options';
import { identityInputs, noPackages, optionInputs, type TargetInput } from './inputs';

/** What a project is to the tasks of its stages. */
export interface Place {
  readonly kind: 'app' | 'reproducer';
  /** Relative to the workspace, with forward slashes. */
  readonly root: string;
  /** Of the kernels that have tasks of their own. */
  readonly kernels: readonly string[];
  readonly hasSource: boolean;
  /** Whether a compile database says how its HIP is compiled. */
  readonly hasCommands: boolean;
  /** The tasks that are no stages, as far as there are such. */
  readonly others: readonly OtherTask[];
  /** Where the tasks of the other kind of project are; undefined where there is none in this workspace. */
  readonly elsewhere: { project: string; kernel: string } | undefined;
  inputs(input: TaskInput, kernel: string | undefined): TargetInput[];
  /** With `{app}`, `{reproducer}` and `{extension}` replaced. */
  output(path: string, kernel: string | undefined): string;
}

export interface Targets {
  readonly targets: Record<string, TargetConfiguration>;
  /** For people who look at the project in Nx Console or `nx graph`: the targets of one stage together. */
  readonly groups: Record<string, string[]>;
}

/** The targets of every stage that is a task of such a project: what their descriptors say, in the words of Nx. */
export function targetsOf(place: Place): Targets {
  const targets: Record<string, TargetConfiguration> = {};
  const groups: Record<string, string[]> = {};
  for (const name of stageNames.filter((each) => stageSummaries[each].project === place.kind)) {
    const stage: Stage = stages[name];
    const { task } = stage;
    if (!task || (task.needsSource && !place.hasSource) || (task.needsCommands && !place.hasCommands)) continue;
    for (const target of task.targets) {
      const kernels = target.of === 'kernel' ? place.kernels : [undefined];
      for (const kernel of kernels) {
        const named = targetName(target, kernel);
        // A kernel called "kernel" has no target of its own where there is one of all kernels.
        if (named in targets) continue;
        targets[named] = targetOf(stage, task, place, kernel);
        (groups[groupOf(name)] ??= []).push(named);
      }
    }
  }
  return { targets, groups };
}

/** Those of PGO are steps of one thing; of an app, each other stage has a target a kernel. */
const groupOf = (stage: string): string => (stage.startsWith('pgo-') ? 'pgo' : stage);

const targetName = ({ name }: TaskTarget, kernel: string | undefined): string =>
  kernel === undefined ? name : `${name}-${kernel}`;

function targetOf(stage: Stage, task: Task, place: Place, kernel: string | undefined): TargetConfiguration {
  const dependsOn = task.after.flatMap((before) =>
    typeof before === 'string'
      ? place.others.filter((other) => other === before)
      : tasksOf(before.stage, place, kernel),
  );
  return {
    executor: `kernloop:${stage.name}`,
    options: { [place.kind]: place.root, ...kernelOption(stage, kernel), ...task.fixed },
    ...(dependsOn.length > 0 || task.after.length > 0 ? { dependsOn } : {}),
    cache: task.cache,
    ...(task.cache ? { inputs: inputsOf(stage, task, place, kernel) } : {}),
    ...(task.outputs.length > 0 ? { outputs: task.outputs.map((path) => place.output(path, kernel)) } : {}),
    metadata: {
      description: kernel === undefined ? stage.summary : `${kernel}: ${stage.summary}`,
      technologies: ['kernloop'],
      help: { command: `npx kernloop ${stage.name} --help`, example: { options: { ...task.example } } },
    },
  };
}

function inputsOf(stage: Stage, task: Task, place: Place, kernel: string | undefined): TargetInput[] {
  return [
    ...task.inputs.flatMap((input) => place.inputs(input, kernel)),
    ...optionInputs(stage),
    ...identityInputs('KERNLOOP_PACKAGE_DIGEST'),
    noPackages,
  ];
}

function kernelOption({ options }: Stage, kernel: string | undefined): Record<string, string | string[]> {
  if (kernel === undefined) return {};
  const isList = optionInfos(options).some(({ name, type }) => name === 'kernel' && type === 'array');
  return { kernel: isList ? [kernel] : kernel };
}

type Dependency = NonNullable<TargetConfiguration['dependsOn']>[number];

/** The tasks of another stage: of the same kernel, of all kernels, or in the app that a reproducer came from. */
function tasksOf(name: string, place: Place, kernel: string | undefined): Dependency[] {
  const found = stageNames.find((each) => each === name);
  if (found === undefined) throw new Error(`a task depends on "${name}", which is no stage`);
  const { project, task }: Stage = stages[found];
  const ofKernel = task?.targets.find(({ of }) => of === 'kernel');
  // Of the project as a whole, where it is the same one: no kernel of an app is built alone.
  const target = ofKernel ?? task?.targets.find(() => project === 'reproducer' || project === place.kind);
  if (!task || !target) throw new Error(`a task depends on ${name}, which is none`);
  if (project !== place.kind) {
    const there = place.elsewhere;
    return there ? [{ projects: [there.project], target: targetName(target, there.kernel) }] : [];
  }
  if (task.needsSource && !place.hasSource) return [];
  if (target.of === 'project') return [target.name];
  return (kernel === undefined ? place.kernels : [kernel]).map((each) => targetName(target, each));
}

/** Of every kind of project. */
export function commonInputs(input: TaskInput): TargetInput[] {
  if (typeof input === 'object')
    return 'variable' in input ? [{ env: input.variable }] : [{ dependentTasksOutputFiles: `**/${input.written}` }];
  switch (input) {
    case 'toolchain':
      return identityInputs('KERNLOOP_TOOLCHAIN');
    case 'native':
      return identityInputs('KERNLOOP_NATIVE_DIGEST');
    case 'llvm':
      return identityInputs('KERNLOOP_PGO_TOOLCHAIN');
    default:
      throw new Error(`"${input}" is no input of a task of such a project`);
  }
}
