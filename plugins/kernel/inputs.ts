import type { TargetConfiguration } from '@nx/devkit';
import { softgpuVariables } from '../../lib/device/softgpu';
import { environmentName } from '../../lib/support/options';
import type { StageTask } from '../../lib/stages/stage-tasks';
import type { DeviceKind } from '../../lib/device/kinds';
import { deviceVariable, type IdentityVariables } from './identity';

export type TargetInput = NonNullable<TargetConfiguration['inputs']>[number];

/** Only what a target names: without this, every package of the workspace would be an input of every kernel. */
export const noPackages: TargetInput = { externalDependencies: [] };

export function identityInputs(...names: (keyof IdentityVariables)[]): TargetInput[] {
  return names.map((env) => ({ env }));
}

/** Of a task that runs something on a device: that device, and others only where somebody names them. */
export function deviceInputs(kind: DeviceKind): TargetInput[] {
  return identityInputs('KERNLOOP_NATIVE_DIGEST', deviceVariable(kind), 'KERNLOOP_DEVICE_ID_NAMED');
}

/** Of ten thousand reproducers the same. */
const knownOptionInputs = new WeakMap<StageTask, readonly TargetInput[]>();

/** Variables that set an option of the stage. */
export function optionInputs(stage: StageTask): readonly TargetInput[] {
  const known = knownOptionInputs.get(stage);
  if (known !== undefined) return known;
  const inputs = [...stage.options.map(environmentName), ...softgpuVariables].map((env) => ({ env }));
  knownOptionInputs.set(stage, inputs);
  return inputs;
}
