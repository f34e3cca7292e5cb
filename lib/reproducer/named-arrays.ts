import type { CaptureJson } from '../archive/capture-files';
import { KernloopError, nearest } from '../support/error';
import type { KernelJson } from './kernel-json';
import { pointersInto, type Place } from './signature';

/** Resolves an array name; `option` names the option in the error message. */
export function targetOf(option: string, name: string, config: KernelJson, capture: CaptureJson): Place {
  const region = capture.regions.find(({ id }) => id === name);
  if (region) return { target: region.id, offset: 0, size: region.size };
  const array = arrayOfParameter(name, config, capture);
  if (array) return array;
  const variable = capture.module_variables.find((candidate) => candidate.name === name);
  if (variable) return { target: variable.name, offset: 0, size: variable.size };
  const parameters = config.args.flatMap(({ name: own }) =>
    own !== null && arrayOfParameter(own, config, capture) ? own : [],
  );
  const known = [
    ...parameters,
    ...capture.regions.map(({ id }) => id),
    ...capture.module_variables.map((candidate) => candidate.name),
  ];
  const [close] = nearest(name, known, 1);
  throw new KernloopError(
    'USAGE',
    `${option} ${name}: the capture has no such region, pointer parameter or module variable`,
    `${close ? `did you mean ${close}? ` : ''}known: ${known.slice(0, 12).join(', ')}`,
  );
}

/** Resolves `NAME`, or the part `NAME:OFFSET:SIZE` of it. */
export function placeOf(option: string, text: string, config: KernelJson, capture: CaptureJson): Place {
  const part = /^(.*):(\d+):(\d+)$/.exec(text);
  const target = targetOf(option, part?.[1] ?? text, config, capture);
  if (!part) return target;
  const [offset, size] = [Number(part[2]), Number(part[3])];
  if (offset + size > target.size) {
    throw new KernloopError(
      'USAGE',
      `${option} ${text} ends beyond its ${target.size} bytes`,
      'give OFFSET:SIZE inside',
    );
  }
  return { target: target.target, offset: target.offset + offset, size };
}

/** Bytes from a pointer's target up to the next pointer's. */
export function arrayOfParameter(
  name: string,
  { args }: KernelJson,
  { kernarg, regions }: CaptureJson,
): Place | undefined {
  const parameter = args.find((arg) => arg.name === name)?.offset;
  const id = kernarg.slots.find((slot) => slot.offset === parameter)?.region;
  const found = regions.find((region) => region.id === id);
  if (!found) return undefined;
  const pointers = pointersInto({ ...found, base: BigInt(found.base) }, kernarg);
  const offset = pointers.find((pointer) => pointer.offset === parameter)?.at ?? 0;
  const next = Math.min(found.size, ...pointers.map(({ at }) => at).filter((at) => at > offset));
  return { target: found.id, offset, size: next - offset };
}
