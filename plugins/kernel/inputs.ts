import type { TargetConfiguration } from '@nx/devkit';
import { softgpuVariables } from '../../lib/device/softgpu';
import { environmentName } from '../../lib/support/option-variables';
import { stageTasks, type StageTask } from '../../lib/stages/stage-tasks';
import type { DeviceKind } from '../../lib/device/kinds';
import { deviceVariable, type IdentityVariables } from './identity';

export type TargetInput = NonNullable<TargetConfiguration['inputs']>[number];

/**
 * Only packages that a target names: without this, every package of the workspace would be an input of every kernel.
 */
const noPackages: TargetInput = { externalDependencies: [] };

export function identityInputs(...names: (keyof IdentityVariables)[]): TargetInput[] {
  return names.map((env) => ({ env }));
}

/** Inputs of a task that runs on a device: that device, and others only if somebody names them. */
export function deviceInputs(kind: DeviceKind): TargetInput[] {
  return identityInputs('KERNLOOP_NATIVE_DIGEST', deviceVariable(kind), 'KERNLOOP_DEVICE_ID_NAMED');
}

/** Variables that set an option of the stage. */
const optionInputs = ({ name, options }: StageTask): TargetInput[] =>
  options.map((option) => ({ env: environmentName(name, option) }));

const optionsName = ({ name }: StageTask): string => `kernloop-${name}-options`;

const everyTask = 'kernloop-task';

/** Inputs of a task that do not depend on its project's path, by the names of `namedInputsOf`. */
export const inputNames = (stage: StageTask): string[] => [optionsName(stage), everyTask];

const namedInputs = (kind: StageTask['project']): Record<string, TargetInput[]> => ({
  [everyTask]: [...softgpuVariables.map((env) => ({ env })), ...identityInputs('KERNLOOP_PACKAGE_DIGEST'), noPackages],
  ...Object.fromEntries(
    stageTasks
      .filter(({ project, cache }) => project === kind && cache)
      .map((stage) => [optionsName(stage), optionInputs(stage)]),
  ),
});

/**
 * The same for every project of a kind. Nx records the origin of each input of each target: written in the targets, the
 * graph of ten thousand kernels and these records exceed the maximum length of a V8 string, and each command creates
 * them anew.
 */
export const namedInputsOf = { app: namedInputs('app'), reproducer: namedInputs('reproducer') } as const;
