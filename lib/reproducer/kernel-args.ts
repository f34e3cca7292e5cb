import { z } from 'zod';
import type { CaptureJson } from '../archive/capture-files';
import { KernloopError } from '../support/error';
import { parseDemangledName } from '../source/demangled-name';
import type { KernelDefinition, KernelParameter } from '../source/kernel-definitions';
import { withoutModuleId } from '../toolchain/module-id';
import type { ElementType, KernelArg, KernelJson } from './kernel-json';

const slotsSchema = z.array(
  z.looseObject({
    offset: z.int().min(0),
    size: z.int().min(0),
    kind: z.string(),
    name: z.string().nullish(),
    value: z.string().nullish(),
    region: z.string().nullish(),
  }),
);

export type KernargSlot = z.output<typeof slotsSchema>[number];

/** Explicit arguments of a capture, without those that the compiler appends (`hidden_*`). */
export function explicitSlots(capture: CaptureJson): KernargSlot[] {
  const slots = slotsSchema.safeParse(capture.kernarg.slots);
  if (!slots.success) {
    throw new KernloopError('CAPTURE_INVALID', `kernarg.slots: ${z.prettifyError(slots.error)}`, 'capture again');
  }
  return slots.data.filter(({ kind }) => !kind.startsWith('hidden_')).sort((a, b) => a.offset - b.offset);
}

/** Facts about each argument: offset from the code object, type from the kernel's name, name from the source. */
export function kernelArgs(capture: CaptureJson, definition: KernelDefinition | null): KernelArg[] {
  const slots = explicitSlots(capture);
  const types = parseDemangledName(capture.kernel.name).parameters;
  // A parameter pack is one parameter in the source and many slots, so names would be shifted.
  const parameters = definition?.parameters.length === slots.length ? definition.parameters : null;
  return slots.map((slot, index) => {
    const parameter = parameters?.[index] ?? null;
    const type = (types?.length === slots.length ? types[index] : undefined) ?? parameter?.declared ?? slot.kind;
    return {
      index,
      name: parameter?.name ?? (slot.name || null),
      type,
      declared: parameter?.declared ?? null,
      role: roleOf(slot, type, parameter),
      element: elementBehind(type),
      offset: slot.offset,
      size: slot.size,
      kind: slot.kind,
    };
  });
}

/**
 * kernel.json for one of the reproducer's captures. That of another kernel, as `"each": "kernel"` makes them, has its own types; names
 * and roles are those of the reproducer where both are instances or overloads with the same layout of parameters.
 */
export function configOf(config: KernelJson, capture: CaptureJson): KernelJson {
  const { name, symbol } = capture.kernel;
  if (name === config.demangled || withoutModuleId(symbol) === withoutModuleId(config.symbol)) return config;
  const args = kernelArgs(capture, null);
  const isAlike =
    parseDemangledName(name).base === parseDemangledName(config.demangled).base &&
    args.length === config.args.length &&
    args.every(({ size, kind }, index) => size === config.args[index]?.size && kind === config.args[index].kind);
  if (!isAlike) return { ...config, args };
  return {
    ...config,
    args: args.map((arg, index) => {
      const { name: own = arg.name, role = arg.role } = config.args[index] ?? {};
      return { ...arg, name: own, role };
    }),
  };
}

/** Memory behind a pointer to const is input; other memory may be read and written. */
function roleOf(slot: KernargSlot, type: string, parameter: KernelParameter | null): KernelArg['role'] {
  const isPointer = slot.kind === 'global_buffer' || type.includes('*');
  if (!isPointer) return 'in';
  return isConstPointee(type) || (parameter !== null && isConstPointee(parameter.declared)) ? 'in' : 'inout';
}

/**
 * True for `T const*` and `const T*`, but not for `T* const` or `T const* *`, whose inner pointers may lead to memory
 * that is written.
 */
function isConstPointee(type: string): boolean {
  const words = pointerWords(type);
  const stars = words.filter((word) => word === '*').length;
  return stars === 1 && words.slice(0, words.indexOf('*')).includes('const');
}

/** Element type behind a pointer type; null if it is no pointer to numbers. */
export function elementBehind(type: string): ElementType | null {
  const words = pointerWords(type);
  const star = words.indexOf('*');
  if (star < 0 || words.filter((word) => word === '*').length > 1) return null;
  const name = words
    .slice(0, star)
    .filter((word) => word !== 'const' && word !== 'volatile')
    .join(' ');
  return elementNames[name] ?? null;
}

/** Type of a value in a replay: "f32", "ptr"; null if it is no number. */
export function scalarOf(type: string): ElementType | 'ptr' | null {
  const words = pointerWords(type).filter((word) => word !== 'const' && word !== 'volatile');
  if (words.includes('*')) return 'ptr';
  const element = elementNames[words.join(' ')] ?? null;
  return element === 'bool' ? 'u8' : element;
}

/** Words of a type, with `*` as a word; qualifiers of the pointer itself follow it. */
function pointerWords(type: string): string[] {
  return type
    .replaceAll('*', ' * ')
    .split(' ')
    .filter((word) => word !== '');
}

const elementNames: Record<string, ElementType> = {
  double: 'f64',
  float: 'f32',
  _Float16: 'f16',
  __half: 'f16',
  half: 'f16',
  'c10::Half': 'f16',
  __fp16: 'f16',
  __bf16: 'bf16',
  __nv_bfloat16: 'bf16',
  'c10::BFloat16': 'bf16',
  hip_bfloat16: 'bf16',
  __hip_bfloat16: 'bf16',
  __nv_fp8_e4m3: 'f8e4m3',
  __nv_fp8_e5m2: 'f8e5m2',
  __hip_fp8_e4m3: 'f8e4m3',
  __hip_fp8_e5m2: 'f8e5m2',
  __hip_fp8_e4m3_fnuz: 'f8e4m3fnuz',
  __hip_fp8_e5m2_fnuz: 'f8e5m2fnuz',
  'c10::Float8_e4m3fn': 'f8e4m3',
  'c10::Float8_e5m2': 'f8e5m2',
  'c10::Float8_e4m3fnuz': 'f8e4m3fnuz',
  'c10::Float8_e5m2fnuz': 'f8e5m2fnuz',
  bool: 'bool',
  char: 'i8',
  'signed char': 'i8',
  int8_t: 'i8',
  'unsigned char': 'u8',
  uint8_t: 'u8',
  short: 'i16',
  int16_t: 'i16',
  'unsigned short': 'u16',
  uint16_t: 'u16',
  int: 'i32',
  int32_t: 'i32',
  unsigned: 'u32',
  'unsigned int': 'u32',
  uint32_t: 'u32',
  long: 'i64',
  'long long': 'i64',
  int64_t: 'i64',
  'unsigned long': 'u64',
  'unsigned long long': 'u64',
  size_t: 'u64',
  uint64_t: 'u64',
};
