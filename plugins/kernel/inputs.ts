import type { TargetConfiguration } from '@nx/devkit';
import { softgpuVariables } from '../../lib/device/softgpu';
import { optionInfos } from '../../lib/support/options';
import type { Stage } from '../../lib/stage/stage';
import type { IdentityVariables } from './identity';

export type TargetInput = NonNullable<TargetConfiguration['inputs']>[number];

/** Only what a target names: without this, every package of the workspace would be an input of every kernel. */
export const noPackages: TargetInput = { externalDependencies: [] };

export function identityInputs(...names: (keyof IdentityVariables)[]): TargetInput[] {
  return names.map((env) => ({ env }));
}

/** Variables that set an option of the stage. */
export function optionInputs({ options }: Pick<Stage, 'options'>): TargetInput[] {
  return [...optionInfos(options).map(({ env }) => env), ...softgpuVariables].map((env) => ({ env }));
}
