import type { TargetConfiguration } from '@nx/devkit';
import type { OtherTask, TaskInput, TaskTarget } from '../../lib/stage/task';
import { stageTasks, type StageTask } from '../../lib/stages/stage-tasks';
import { identityInputs, inputNames, type TargetInput } from './inputs';

/** Facts about a project that the tasks of its stages need. */
export interface Place {
  readonly kind: 'app' | 'reproducer';
  /** Relative to the workspace, with forward slashes. */
  readonly root: string;
  /** Kernels with separate tasks. */
  readonly kernels: readonly string[];
  readonly hasSource: boolean;
  /** Whether a compile database has the commands for its HIP sources. */
  readonly hasCommands: boolean;
  /** Existing tasks that are no stages. */
  readonly others: readonly OtherTask[];
  /** Location of the tasks of the other kind of project; undefined if this workspace has none. */
  readonly elsewhere: { project: string; kernel: string } | undefined;
  inputs(input: TaskInput, kernel: string | undefined): TargetInput[];
  /** The path with `{app}`, `{reproducer}` and `{extension}` replaced. */
  output(path: string, kernel: string | undefined): string;
}

export interface Targets {
  readonly targets: Record<string, TargetConfiguration>;
  /** Targets of each stage as a group, for people who use Nx Console or `nx graph`. */
  readonly groups: Record<string, string[]>;
}

/** Targets of every stage that is a task of such a project, translated from the descriptors to Nx. */
export function targetsOf(place: Place): Targets {
  const targets: Record<string, TargetConfiguration> = {};
  const groups: Record<string, string[]> = {};
  for (const stage of stageTasks.filter(({ project }) => project === place.kind)) {
    if ((stage.needsSource && !place.hasSource) || (stage.needsCommands && !place.hasCommands)) continue;
    for (const target of stage.targets) {
      const kernels = target.of === 'kernel' ? place.kernels : [undefined];
      for (const kernel of kernels) {
        const named = targetName(target, kernel);
        // A kernel called "kernel" has no separate target if a target for all kernels has that name.
        if (named in targets) continue;
        targets[named] = targetOf(stage, place, kernel);
        (groups[groupOf(stage.name)] ??= []).push(named);
      }
    }
  }
  return { targets, groups };
}

/** PGO stages form one group; every other stage is a group, which has a target per kernel in an app. */
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

/** Tasks of another stage: for the same kernel, for all kernels, or in the app of a reproducer. */
function tasksOf(name: string, place: Place, kernel: string | undefined): Dependency[] {
  const named = stageTasks.filter((each) => each.name === name);
  const found = named.find(({ project }) => project === place.kind) ?? named[0];
  if (found === undefined) throw new Error(`a task depends on ${name}, which is none`);
  const { project, targets, needsSource } = found;
  const ofKernel = targets.find(({ of }) => of === 'kernel');
  // Within one project, this is the target of the whole project, because no kernel of an app is built alone.
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

/** Inputs for every kind of project. */
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
