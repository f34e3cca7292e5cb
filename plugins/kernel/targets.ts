import type { TargetConfiguration } from '@nx/devkit';
import type { OtherTask, TaskInput, TaskTarget } from '../../lib/stage/task';
import { stageTasks, type StageTask } from '../../lib/stages/stage-tasks';
import { identityInputs, inputNames, type TargetInput } from './inputs';

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
  for (const stage of stageTasks.filter(({ project }) => project === place.kind)) {
    if ((stage.needsSource && !place.hasSource) || (stage.needsCommands && !place.hasCommands)) continue;
    for (const target of stage.targets) {
      const kernels = target.of === 'kernel' ? place.kernels : [undefined];
      for (const kernel of kernels) {
        const named = targetName(target, kernel);
        // A kernel called "kernel" has no target of its own where there is one of all kernels.
        if (named in targets) continue;
        targets[named] = targetOf(stage, place, kernel);
        (groups[groupOf(stage.name)] ??= []).push(named);
      }
    }
  }
  return { targets, groups };
}

/** Those of PGO are steps of one thing; of an app, each other stage has a target a kernel. */
const groupOf = (stage: string): string => (stage.startsWith('pgo-') ? 'pgo' : stage);

const targetName = ({ name }: TaskTarget, kernel: string | undefined): string =>
  kernel === undefined ? name : `${name}-${kernel}`;

function targetOf(stage: StageTask, place: Place, kernel: string | undefined): TargetConfiguration {
  const dependsOn = stage.after.flatMap((before) =>
    typeof before === 'string'
      ? place.others.filter((other) => other === before)
      : tasksOf(before.stage, place, kernel),
  );
  return {
    executor: `kernloop:${stage.name}`,
    options: { [place.kind]: place.root, ...kernelOption(stage, kernel), ...stage.fixed },
    ...(dependsOn.length > 0 || stage.after.length > 0 ? { dependsOn } : {}),
    cache: stage.cache,
    ...(stage.cache ? { inputs: inputsOf(stage, place, kernel) } : {}),
    ...(stage.outputs.length > 0 ? { outputs: stage.outputs.map((path) => place.output(path, kernel)) } : {}),
    metadata: {
      description: kernel === undefined ? stage.summary : `${kernel}: ${stage.summary}`,
      technologies: ['kernloop'],
      help: { command: `npx kernloop ${stage.name} --help`, example: { options: { ...stage.example } } },
    },
  };
}

function inputsOf(stage: StageTask, place: Place, kernel: string | undefined): TargetInput[] {
  return [...stage.inputs.flatMap((input) => place.inputs(input, kernel)), ...inputNames(stage)];
}

function kernelOption({ takesKernels }: StageTask, kernel: string | undefined): Record<string, string | string[]> {
  if (kernel === undefined) return {};
  return { kernel: takesKernels ? [kernel] : kernel };
}

type Dependency = NonNullable<TargetConfiguration['dependsOn']>[number];

/** The tasks of another stage: of the same kernel, of all kernels, or in the app that a reproducer came from. */
function tasksOf(name: string, place: Place, kernel: string | undefined): Dependency[] {
  const found = stageTasks.find((each) => each.name === name);
  if (found === undefined) throw new Error(`a task depends on ${name}, which is none`);
  const { project, targets, needsSource } = found;
  const ofKernel = targets.find(({ of }) => of === 'kernel');
  // Of the project as a whole, where it is the same one: no kernel of an app is built alone.
  const target = ofKernel ?? targets.find(() => project === 'reproducer' || project === place.kind);
  if (!target) throw new Error(`a task depends on ${name}, which is none`);
  if (project !== place.kind) {
    const there = place.elsewhere;
    return there ? [{ projects: [there.project], target: targetName(target, there.kernel) }] : [];
  }
  if (needsSource && !place.hasSource) return [];
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
      return identityInputs('KERNLOOP_NATIVE_DIGEST', 'KERNLOOP_NATIVE_REST_DIGEST');
    case 'llvm':
      return identityInputs('KERNLOOP_PGO_TOOLCHAIN');
    default:
      throw new Error(`"${input}" is no input of a task of such a project`);
  }
}
