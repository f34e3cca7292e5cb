import type { CaptureJson } from '../archive/capture-files';
import type { ElementType, KernelArg, KernelJson } from './kernel-json';
import { parseDemangledName } from '../source/demangled-name';
import { elementBehind, scalarOf } from './kernel-args';
import { tritonElementBehind } from './triton-args';
import { withoutModuleId } from '../toolchain/module-id';

/** A position in a region or module variable. */
export interface Place {
  target: string;
  offset: number;
  size: number;
}

export interface Region {
  id: string;
  base: bigint;
  size: number;
}

/** Statements of pointer parameters about the bytes from their target up to the next pointer's. */
export interface Claim extends Place {
  /** Parameters that point to its first byte. */
  parameters: KernelArg[];
  /** Whether a pointer without a parameter in the signature points there. */
  isOpen: boolean;
}

/** Claims on a region; one allocation may hold several arrays. */
export function claimsOn(region: Region, { args }: KernelJson, { kernarg }: CaptureJson): Claim[] {
  const claims = new Map<number, Claim>();
  for (const { offset, at } of pointersInto(region, kernarg)) {
    const parameter = args.find((each) => each.offset === offset);
    const claim = claims.get(at) ?? { target: region.id, offset: at, size: 0, parameters: [], isOpen: false };
    if (parameter) claim.parameters.push(parameter);
    else claim.isOpen = true;
    claims.set(at, claim);
  }
  const sorted = [...claims.values()].sort((a, b) => a.offset - b.offset);
  return sorted.map((claim, index) => ({
    ...claim,
    size: (sorted[index + 1]?.offset ?? region.size) - claim.offset,
  }));
}

/** Kernel arguments that point into a region, with the offset of their target. */
export function pointersInto(
  { id, base, size }: Region,
  { slots }: CaptureJson['kernarg'],
): { offset: number; at: number }[] {
  return slots
    .filter(({ region }) => region === id)
    .map(({ offset, value }) => ({
      offset,
      at: /^0x[0-9a-f]{1,16}$/i.test(value ?? '') ? Number(BigInt(value ?? 0) - base) : 0,
    }))
    .filter(({ at }) => at >= 0 && at < size);
}

export function overlap(a: Place, b: Place): boolean {
  return a.target === b.target && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

/**
 * Parameters, if all of them contradict the type of these bytes; undefined if one agrees or has no type. A
 * contradiction is another size or kind: read as doubles, the even elements of a float array hardly count.
 */
export function contradiction(type: ElementType, claim: Claim): KernelArg[] | undefined {
  if (claim.isOpen || claim.parameters.length === 0) return undefined;
  return claim.parameters.every((parameter) => contradicts(type, parameter)) ? claim.parameters : undefined;
}

export function contradicts(type: ElementType, parameter: KernelArg): boolean {
  const told = elementOfSignature(parameter) ?? parameter.element;
  return told !== null && !agree(told, type);
}

/** Parameters with their types from the name of the captured kernel if it has them: kernel.json can be edited. */
export function withCapturedTypes(config: KernelJson, { kernel }: CaptureJson): KernelJson {
  const isSame = withoutModuleId(kernel.symbol) === withoutModuleId(config.symbol);
  const types = isSame ? parseDemangledName(kernel.name).parameters : null;
  if (types?.length !== config.args.length) return config;
  return { ...config, args: config.args.map((arg) => ({ ...arg, type: types[arg.index] ?? arg.type })) };
}

/** Parameters whose element in kernel.json differs from the one of their type. */
export function misnamedElements({ args }: KernelJson): (KernelArg & { element: ElementType })[] {
  return args.flatMap((arg) => {
    const { element } = arg;
    return element !== null && contradicts(element, arg) ? [{ ...arg, element }] : [];
  });
}

/** Null if the type does not tell: `void*`, structures, and types that only the source defines. */
export function elementOfSignature({ type }: KernelArg): ElementType | null {
  return elementBehind(type) ?? tritonElementBehind(type) ?? vectorElement(type);
}

/** Whether two types agree. Integers of one size do: many programs are not consistent about signedness. */
function agree(one: ElementType, other: ElementType): boolean {
  return one === other || (!isFloat(one) && !isFloat(other) && bytesOf(one) === bytesOf(other));
}

export const isFloat = (type: ElementType): boolean => type.includes('f');
/** Size in bytes, in kernel.json, reports and captures: one for "f8e4m3" and "u8", and for a bool. */
export const bytesOf = (type: string): number => Number(/\d+/.exec(type)?.[0] ?? 8) / 8;

/** Component type of vectors: `float4*` and `HIP_vector_type<float, 4u>*` are floats for tolerances. */
function vectorElement(type: string): ElementType | null {
  const pointee = type.replace(/\b(const|volatile)\b/g, '').replaceAll(' ', '');
  const [, component] = /^HIP_vector_type<([a-z]+),\d+u?>\*$/.exec(pointee) ?? /^([a-z]+)[1-4]\*$/.exec(pointee) ?? [];
  if (component === undefined) return null;
  const element = scalarOf(vectorComponents[component] ?? component);
  return element === 'ptr' ? null : element;
}

const vectorComponents: Readonly<Record<string, string>> = {
  uchar: 'unsigned char',
  ushort: 'unsigned short',
  uint: 'unsigned int',
  ulong: 'unsigned long',
  longlong: 'long long',
  ulonglong: 'unsigned long long',
  unsignedchar: 'unsigned char',
  unsignedshort: 'unsigned short',
  unsignedint: 'unsigned int',
  unsignedlong: 'unsigned long',
  unsignedlonglong: 'unsigned long long',
};

/** Parameters for messages: "float* y" */
export function nameParameters(parameters: readonly KernelArg[]): string {
  return parameters.map(({ type, name, index }) => `${type} ${name ?? `#${index}`}`).join(', ');
}
