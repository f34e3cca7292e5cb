import type { ElementType } from '../reproducer/kernel-json';

/** An element of an output that differs from the app's. */
export interface WrongElement {
  readonly index: number;
  readonly expected: string;
  readonly actual: string;
  /** NaN if either value is NaN. */
  readonly error: number;
}

type Reader = (bytes: DataView, at: number) => number | bigint;

const readers: Partial<Record<ElementType, readonly [number, Reader]>> = {
  f64: [8, (bytes, at) => bytes.getFloat64(at, true)],
  f32: [4, (bytes, at) => bytes.getFloat32(at, true)],
  f16: [2, (bytes, at) => half(bytes.getUint16(at, true))],
  bf16: [2, (bytes, at) => bfloat(bytes.getUint16(at, true))],
  i64: [8, (bytes, at) => bytes.getBigInt64(at, true)],
  u64: [8, (bytes, at) => bytes.getBigUint64(at, true)],
  i32: [4, (bytes, at) => bytes.getInt32(at, true)],
  u32: [4, (bytes, at) => bytes.getUint32(at, true)],
  i16: [2, (bytes, at) => bytes.getInt16(at, true)],
  u16: [2, (bytes, at) => bytes.getUint16(at, true)],
  i8: [1, (bytes, at) => bytes.getInt8(at)],
  u8: [1, (bytes, at) => bytes.getUint8(at)],
  bool: [1, (bytes, at) => bytes.getUint8(at)],
};

export const sizeOfElement = (type: ElementType): number | null => readers[type]?.[0] ?? null;

export interface DifferingBytes {
  readonly offset: number;
  readonly lead?: string | undefined;
  readonly first_expected?: string | undefined;
  readonly first_actual?: string | undefined;
}

/** Elements in the first bytes of a difference; `start` is the offset of the array. */
export function wrongElements(
  { offset, lead, first_expected, first_actual }: DifferingBytes,
  type: ElementType,
  start: number,
): WrongElement[] {
  const reader = readers[type];
  if (!reader || first_expected === undefined || first_actual === undefined) return [];
  const [size, read] = reader;
  const before = Buffer.from(lead ?? '', 'hex');
  const expected = Buffer.concat([before, Buffer.from(first_expected, 'hex')]);
  const actual = Buffer.concat([before, Buffer.from(first_actual, 'hex')]);
  const from = offset - before.length;
  const found: WrongElement[] = [];
  const skip = (size - ((((from - start) % size) + size) % size)) % size;
  for (let at = skip; at + size <= Math.min(expected.length, actual.length); at += size) {
    if (expected.subarray(at, at + size).equals(actual.subarray(at, at + size)) || from + at < start) continue;
    const [a, b] = [expected, actual].map((bytes) =>
      read(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at),
    );
    if (a === undefined || b === undefined) continue;
    const error =
      typeof a === 'bigint' && typeof b === 'bigint' ? Number(a > b ? a - b : b - a) : Math.abs(Number(a) - Number(b));
    found.push({ index: (from + at - start) / size, expected: shown(a), actual: shown(b), error });
  }
  return found;
}

/** Formats a value with as many digits as tell floats apart. */
export const shown = (value: number | bigint | string): string =>
  typeof value !== 'number' || Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(9)));

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function bfloat(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits * 65536);
  return view.getFloat32(0);
}
