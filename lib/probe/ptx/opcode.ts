import { probeUnsupported } from '../../ptx/lexer';
import type { AddressOperand, Operand } from '../../ptx/operands';

/**
 * Whether a position of a probe file selects an opcode. `ld.global` selects `ld.global.nc.v4.f32`, but not
 * `ld.globalish`, a label or a function name that contains it; Neutrino's engine searches the whole line and selects
 * those too.
 */
export function matches(position: readonly string[], opcode: readonly string[]): boolean {
  // Waits for copies and prefetches do not count as copies unless the position names them.
  const is = (part: string): boolean => opcode.includes(part) && !position.includes(part);
  if (
    opcode[0] === 'cp' &&
    (is('commit_group') || is('wait_group') || is('wait_all') || is('mbarrier') || is('prefetch'))
  )
    return false;
  return isPrefix(position, opcode) || isPrefix(position, withoutOrder(opcode));
}

function isPrefix(position: readonly string[], opcode: readonly string[]): boolean {
  return position.length <= opcode.length && position.every((part, index) => part === opcode[index]);
}

const order: ReadonlySet<string> = new Set([
  ...['weak', 'volatile', 'relaxed', 'acquire', 'release', 'acq_rel', 'mmio'],
  ...['cta', 'cluster', 'gpu', 'sys'],
]);

/** Drops the memory order, so that `ld.acquire.gpu.global.u32` matches `ld.global`. */
function withoutOrder(opcode: readonly string[]): readonly string[] {
  return ['ld', 'st', 'atom', 'red'].includes(opcode[0] ?? '') ? opcode.filter((part) => !order.has(part)) : opcode;
}

export function positionParts(position: string, probe: string): string[] {
  const text = position.trim().replace(/;$/, '').trim();
  if (/^[A-Za-z_]\w*(\.\w+(::\w+)*)*$/.test(text)) return text.split('.');
  throw probeUnsupported(
    `probe ${probe}: the position "${position}" is no opcode`,
    'name opcodes by whole parts, as `ld.global:st.global`, or `kernel`',
  );
}

/** Bytes that each executing thread moves to or from global memory. */
export type MovedBytes =
  | { readonly kind: 'constant'; readonly bytes: number }
  /** A number or a 32-bit register. */
  | { readonly kind: 'operand'; readonly text: string }
  /** `bytes`, or none if the predicate is true. */
  | { readonly kind: 'unless'; readonly predicate: string; readonly bytes: string }
  | { readonly kind: 'unknown'; readonly why: string };

const vectors: Readonly<Record<string, number>> = { v2: 2, v4: 4, v8: 8 };

/** `isPredicate` says whether a register is declared as a predicate. */
export function movedBytes(
  opcode: readonly string[],
  operands: readonly Operand[],
  isPredicate: (register: string) => boolean,
): MovedBytes {
  const [name = '', ...parts] = opcode;
  if (name === 'cp') return copiedBytes(opcode, operands, isPredicate);
  if (!['ld', 'ldu', 'st', 'atom', 'red'].includes(name)) return unknown('it is no access to memory');
  const element = parts.map(elementBytes).findLast((bytes) => bytes !== null);
  if (element === undefined || element === null) return unknown('its type is not known');
  const count = parts.map((part) => vectors[part]).find((found) => found !== undefined) ?? 1;
  return { kind: 'constant', bytes: count * element };
}

function unknown(why: string): MovedBytes {
  return { kind: 'unknown', why };
}

function elementBytes(part: string): number | null {
  const [, bits, lanes] = /^(?:[busf]|bf)(\d+)(x\d)?$/.exec(part) ?? [];
  return bits === undefined ? null : (Number(bits) * Number(lanes?.slice(1) ?? 1)) / 8;
}

function copiedBytes(
  opcode: readonly string[],
  operands: readonly Operand[],
  isPredicate: (register: string) => boolean,
): MovedBytes {
  const [, , kind] = opcode;
  const texts = operands.map(({ text }) => text);
  if (opcode.includes('tensor')) return unknown('its size is in the tensor map');
  if (opcode.includes('bulk')) {
    if (!opcode.includes('global')) return { kind: 'constant', bytes: 0 };
    // Prefetches take an address and the size; the others take two addresses first.
    const size = texts[opcode.includes('prefetch') ? 1 : 2];
    return size === undefined ? unknown('its size is missing') : { kind: 'operand', text: size };
  }
  if (kind !== 'ca' && kind !== 'cg') return unknown('it copies nothing by itself');
  const [, , size, fourth] = operands;
  if (size === undefined) return unknown('its size is missing');
  if (fourth === undefined) return { kind: 'operand', text: size.text };
  const [predicate = ''] = fourth.registers;
  if (fourth.kind === 'plain' && isPredicate(predicate)) return { kind: 'unless', predicate, bytes: size.text };
  // The cache policy is the last operand, after the source size if there is one.
  const hasPolicy = opcode.some((part) => part.endsWith('cache_hint'));
  return { kind: 'operand', text: hasPolicy && operands.length === 4 ? size.text : fourth.text };
}

/** The operand that addresses memory, or the reason why there is none. */
export function accessedAddress(opcode: readonly string[], operands: readonly Operand[]): AddressOperand | string {
  const addresses = operands.filter((operand): operand is AddressOperand => operand.kind === 'address');
  if (addresses.some(({ base }) => base === null)) return 'its address is that of a tensor map and coordinates';
  const [first, second] = addresses;
  if (first === undefined) return 'it has no address';
  if (second === undefined) return first;
  if (!opcode.includes('async')) return 'it has several addresses';
  // The operands are destination, source, then barriers. Returns the global one.
  const [to, from] = [opcode.indexOf('global'), opcode.findIndex((part) => part.startsWith('shared'))];
  return to >= 0 && (from < 0 || to < from) ? first : second;
}
