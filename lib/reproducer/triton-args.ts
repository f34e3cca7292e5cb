import type { CaptureJson } from '../archive/capture-files';
import { explicitSlots, kernelArgs } from './kernel-args';
import type { ElementType, KernelArg } from './kernel-json';

/** A parameter with its type in Triton's notation: `*fp32`, `i32`; `*k` points to memory that the kernel only reads. */
export interface TritonParameter {
  name: string;
  type: string;
}

/** Pointers that the compiler appends to the parameters; null if a kernel needs none. */
const scratchNames = ['global_scratch', 'profile_scratch'];

/** Arguments of a Triton kernel, with names and types from its signature and without compile-time constants. */
export function tritonArgs(capture: CaptureJson, parameters: readonly TritonParameter[]): KernelArg[] {
  const slots = explicitSlots(capture);
  const extra = slots.length - parameters.length;
  // A tensor descriptor is one parameter and many slots, so names would be shifted.
  if (extra < 0 || extra > scratchNames.length) return kernelArgs(capture, null);
  return slots.map((slot, index) => {
    const parameter = parameters[index];
    const base = { index, offset: slot.offset, size: slot.size, kind: slot.kind };
    if (parameter === undefined) {
      const name = scratchNames[index - parameters.length] ?? null;
      return { ...base, name, type: '*i8', declared: null, role: 'workspace' as const, element: null };
    }
    const { name, type } = parameter;
    const role = type.startsWith('*') && !type.startsWith('*k') ? ('inout' as const) : ('in' as const);
    return { ...base, name, type, declared: type, role, element: tritonElementBehind(type) };
  });
}

export function tritonElementBehind(type: string): ElementType | null {
  const [, element] = /^\*k?(\w+)$/.exec(type) ?? [];
  return element === undefined ? null : (tritonElements[element] ?? null);
}

/** Triton's names of element types. */
export const tritonElements: Readonly<Record<string, ElementType>> = {
  ...{ fp64: 'f64', fp32: 'f32', fp16: 'f16', bf16: 'bf16' },
  ...{ fp8e4nv: 'f8e4m3', fp8e5: 'f8e5m2', fp8e4b8: 'f8e4m3fnuz', fp8e5b16: 'f8e5m2fnuz' },
  ...{ i64: 'i64', i32: 'i32', i16: 'i16', i8: 'i8', u64: 'u64', u32: 'u32', u16: 'u16', u8: 'u8' },
  ...{ i1: 'bool', u1: 'bool' },
};
