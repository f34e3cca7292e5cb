import type { CaptureJson } from '../archive/capture-files';
import type { TritonJson, TritonTensor } from '../archive/triton-json';
import { explicitSlots, type KernargSlot } from '../reproducer/kernel-args';
import { bytesOf } from '../reproducer/signature';
import { tritonElements, type TritonParameter } from '../reproducer/triton-args';
import { KernloopError } from '../support/error';

/** Arguments of the launch as Python: tensors as views of captured regions, everything else as it was passed. */
export function argumentTexts(
  { compilation, launch }: TritonJson,
  passed: readonly TritonParameter[],
  capture: CaptureJson,
): { name: string; text: string }[] {
  const slots = explicitSlots(capture);
  return (compilation?.parameters ?? []).flatMap(({ name, type, constexpr }) => {
    if (constexpr) return [];
    const seen = launch?.arguments.find((each) => each.name === name);
    const place = passed.findIndex((each) => each.name === name);
    const slot = place < 0 ? undefined : slots[place];
    if (type === 'constexpr') return [{ name, text: constantText(compilation, name) }];
    if (type.startsWith('*')) return [{ name, text: tensorText(name, type, slot, seen?.tensor, capture) }];
    if (seen?.value !== undefined && 'python' in seen.value) return [{ name, text: seen.value.python }];
    return [{ name, text: scalarText(type, slot) }];
  });
}

/** A value that Triton compiled into the code: a 1, a None. */
function constantText(compilation: TritonJson['compilation'], name: string): string {
  const index = compilation?.parameters?.findIndex((each) => each.name === name) ?? -1;
  const value = compilation?.constexprs?.find(({ path }) => path.length === 1 && path[0] === index)?.value;
  return value !== undefined && 'python' in value ? value.python : `captured.unavailable(${JSON.stringify(name)})`;
}

function scalarText(type: string, slot: KernargSlot | undefined): string {
  const bits = slot?.value == null ? null : BigInt(slot.value);
  const [, sign, width] = /^([iu])(\d+)$/.exec(type) ?? [];
  if (bits === null) return `captured.unavailable(${JSON.stringify(`a ${type}`)})`;
  if (width !== undefined) return String(sign === 'i' && width !== '1' ? BigInt.asIntN(Number(width), bits) : bits);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  const value = type === 'fp32' ? view.getFloat32(4) : type === 'fp64' ? view.getFloat64(0) : null;
  if (value === null) return `captured.unavailable(${JSON.stringify(`a ${type}`)})`;
  return Number.isFinite(value) ? pythonFloat(value) : `float("${String(value).toLowerCase()}")`;
}

const pythonFloat = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

/** PyTorch's names of the types; NumPy uses the same, as far as it has the types. */
const dtypes: Readonly<Record<string, string>> = {
  ...{ f64: 'float64', f32: 'float32', f16: 'float16', bf16: 'bfloat16', bool: 'bool' },
  ...{ f8e4m3: 'float8_e4m3fn', f8e5m2: 'float8_e5m2', f8e4m3fnuz: 'float8_e4m3fnuz', f8e5m2fnuz: 'float8_e5m2fnuz' },
  ...{ i64: 'int64', i32: 'int32', i16: 'int16', i8: 'int8', u64: 'uint64', u32: 'uint32', u16: 'uint16', u8: 'uint8' },
};

function tensorText(
  name: string,
  type: string,
  slot: KernargSlot | undefined,
  seen: TritonTensor | undefined,
  { regions }: CaptureJson,
): string {
  const pointer = slot?.value == null ? null : BigInt(slot.value);
  if (pointer === 0n) return 'captured.null()';
  const element = tritonElements[type.replace(/^\*k?/, '')];
  const region = regions.find(
    ({ base, size }) => pointer !== null && pointer >= BigInt(base) && pointer < BigInt(base) + BigInt(size),
  );
  if (element === undefined || region === undefined || pointer === null)
    return `captured.unavailable(${JSON.stringify(`a ${type}${region === undefined ? ' to memory that was not captured' : ''}`)})`;
  const offset = Number(pointer - BigInt(region.base));
  const size = bytesOf(element);
  // Without a recorded view, takes everything from the pointer to the end of the region.
  const view =
    seen?.strides == null
      ? { shape: [Math.floor((region.size - offset) / size)], strides: [1] }
      : { shape: seen.shape, strides: seen.strides };
  requireInside(name, view, size, { offset, size: region.size, id: region.id });
  return `captured.tensor("${dtypes[element] ?? element}", ${tuple(view.shape)}, ${tuple(view.strides)}, region="${region.id}", offset=${offset})`;
}

interface View {
  shape: readonly number[];
  strides: readonly number[];
}

function requireInside(
  name: string,
  { shape, strides }: View,
  bytes: number,
  region: { offset: number; size: number; id: string },
): void {
  if (shape.includes(0)) return;
  const reach = shape.map((extent, axis) => (extent - 1) * (strides[axis] ?? NaN) * bytes);
  const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
  const first = region.offset + sum(reach.filter((part) => part < 0));
  const last = region.offset + sum(reach.filter((part) => !(part < 0))) + bytes;
  if (first >= 0 && last <= region.size && shape.length === strides.length) return;
  throw new KernloopError(
    'TENSOR_OUTSIDE',
    `the app passed ${name} as a view of shape [${shape.join(', ')}] with strides [${strides.join(', ')}], which reaches from byte ${first} to ${last} of ${region.id}, and that has ${region.size} bytes`,
    'correct the view in the app (as_strided does not check it), and capture again; --language hip or cuda makes a reproducer without source',
  );
}

const tuple = (numbers: readonly number[]): string =>
  numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(', ')})`;
