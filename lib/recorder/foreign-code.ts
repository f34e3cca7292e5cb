import { readFileSync } from 'node:fs';
import { softgpuTargets } from '../device/softgpu';
import type { LaunchObstacle } from '../app/launch';
import { contentOf, isElf64, readSections } from '../toolchain/elf';
import type { DeviceDescription } from '../device/device';

/** Whether the program has device code, and none of it for the AMD device: what it has, and how to get the other. */
export function foreignCode(program: string, { isa, kind }: DeviceDescription): LaunchObstacle | undefined {
  const wanted = targetOf(isa);
  const has = targetsOf(program);
  if (wanted === undefined || has.length === 0 || has.some((target) => mayRun(target, wanted))) return undefined;
  const [processor = ''] = wanted.split(':');
  const other = has.map((target) => target.split(':')[0] ?? '').find((name) => name in softgpuTargets);
  const choice = kind === 'softgpu' ? '' : '--device softgpu ';
  return {
    code: 'CODE_OBJECT_TARGET',
    what: `${program} has code for ${[...new Set(has)].join(', ')}, and the device is ${wanted}`,
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

const magic = '__CLANG_OFFLOAD_BUNDLE__';
const x86 = 62;
const mostEntries = 64;

/** Targets in the program's bundles of HIP code; none if any of them is not for a processor (SPIR-V). */
function targetsOf(program: string): string[] {
  const bytes = readFileSync(program);
  if (!isElf64(bytes, x86)) return [];
  const ids = readSections(bytes)
    .filter(({ name }) => name === '.hip_fatbin')
    .flatMap((section) => entriesOf(contentOf(bytes, section)))
    .filter((id) => !id.startsWith('host-'));
  const targets = ids.map((id) => /^hip(?:v4)?-amdgcn-amd-amdhsa--(gfx[\w-]+(?::[\w+-]+)*)$/.exec(id)?.[1] ?? '');
  return targets.includes('') ? [] : targets;
}

/** Each entry is an offset, a size, and the length of the id that follows. */
function entriesOf(section: Buffer): string[] {
  const ids: string[] = [];
  for (let at = section.indexOf(magic); at >= 0; at = section.indexOf(magic, at + magic.length)) {
    const table = at + magic.length;
    if (table + 8 > section.length) return ids;
    const count = Math.min(mostEntries, Number(section.readBigUInt64LE(table)));
    let place = table + 8;
    for (let entry = 0; entry < count && place + 24 <= section.length; entry += 1) {
      const idBytes = Number(section.readBigUInt64LE(place + 16));
      ids.push(section.subarray(place + 24, place + 24 + idBytes).toString('latin1'));
      place += 24 + idBytes;
    }
  }
  return ids;
}
