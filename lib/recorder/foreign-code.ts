import { softgpuTargets } from '../device/softgpu';
import type { LaunchObstacle } from '../app/launch';
import { carriedCode } from '../toolchain/carried-code';
import type { DeviceDescription } from '../device/device';

/** Whether the program has device code, and none of it for the AMD device: what it has, and how to get the other. */
export function foreignCode(program: string, { isa, kind }: DeviceDescription): LaunchObstacle | undefined {
  const wanted = targetOf(isa);
  const code = carriedCode(program);
  const has = code?.isWhole === true ? code.targets : [];
  if (wanted === undefined || has.length === 0 || has.some((target) => mayRun(target, wanted))) return undefined;
  const [processor = ''] = wanted.split(':');
  const other = has.map((target) => target.split(':')[0] ?? '').find((name) => name in softgpuTargets);
  const choice = kind === 'softgpu' ? '' : '--device softgpu ';
  return {
    code: 'CODE_OBJECT_TARGET',
    what: `${program} has code for ${has.join(', ')}, and the device is ${wanted}`,
    hint: `compile it with --offload-arch=${processor}${other === undefined || other === processor ? '' : `, or use ${choice}--softgpu ${other}`}`,
  };
}

function targetOf(isa: string): string | undefined {
  return /^amdgcn-amd-amdhsa--(gfx.*)$/.exec(isa)?.[1];
}

/** A generic target may run on several processors; a feature that is not named may be on or off. */
function mayRun(code: string, device: string): boolean {
  const [processor = '', ...features] = code.split(':');
  const [own, ...has] = device.split(':');
  return processor.endsWith('-generic') || (processor === own && features.every((feature) => has.includes(feature)));
}
